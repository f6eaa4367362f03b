"""Passwords that are known by the words before them: in commands, and in sentences of several languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common.redaction import redact
from memoryserver.common.secrets.places import hinted_places

SECRET = "hunter2!Tx"

COMMANDS = [
    "mysql -u root -p{} shop",
    "/usr/bin/mysqldump -uroot -p'{}' shop > a.sql",
    "mysql \\\n  -u root -p{}",
    "sshpass -p {} ssh -p 2222 host",
    "sshpass -p{} ssh host",
    "PGPASSWORD={} psql",
    "psql postgres://u:{}@db/shop",
    "redis-cli -h r -a {} ping",
    '["redis-cli", "-a", "{}"]',
    '["mysql", "-uroot", "-p{}"]',
    "docker login -u me -p {} reg",
    "docker login --password {}",
    "mongosh -u a -p {}",
    "az login -u a -p {}",
    "ldapsearch -x -w {} -b dc",
    "smbclient -U bob%{} //x/y",
    "sqlcmd -S x -U sa -P {}",
    "zip -P {} a.zip b",
    "7z x -p{} a.7z",
    "lftp -u bob,{} ftp://x",
    "keytool -storepass {} -x",
    "openssl rsa -passin pass:{} -in k",
    "curl -u bob:{} https://x",
    "ansible-playbook --vault-password {}",
    "htpasswd -bc f bob {}",
    "htpasswd -nb bob {}",
    "echo {} | docker login --password-stdin",
    "echo '{}' | sudo -S ls",
    "http -a bob:{} example.org/x",
    "http POST x.org/api --auth=bob:{}",
    "xh -a bob:{} :8000/x",
]
SENTENCES = [
    "the password for the staging DB is {}",
    "I logged in with the password {}",
    "He set the password to {}",
    "Das Passwort ist {}",
    "Das Passwort f\u00fcr die Datenbank ist {}",
    "Passwort: {}",
    "Das Kennwort lautet {}",
    "mot de passe : {}",
    "Le mot de passe est \u00ab {} \u00bb",
    "contrase\u00f1a: {}",
    "La contrase\u00f1a es {}",
    "A senha \u00e9 {}",
    "Het wachtwoord is {}",
    "has\u0142o: {}",
    "\u043f\u0430\u0440\u043e\u043b\u044c \u2014 {}",
    "\u5bc6\u7801\u662f {}",
    "\u5bc6\u7801\uff1a{}",
    "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f{}\u3067\u3059",
    "the password {} still works",
    "log in as admin, passphrase `{}`",
    "das Passwort {} gilt",
    "pw: {}",
    "PW={}",
    "user/pass: bob/{}",
    "login / pw is bob:{}",
    "Parola: {}",
    "parola este {}",
    "heslo je {}",
    "salasana: {}",
    r"net use \\srv /user:bob {}",
    r"net use Z: \\srv\share /user:corp\bob {} /persistent:yes",
    r"net use Z: \\srv\share {} /user:bob",
    "net user bob {} /add",
]
HARMLESS = [
    "mysql -u root -p",
    "mysql -u root -p shop_production",
    "mysqldump -p --all-databases > dump.sql",
    "mysql -h db -P 3306 -u root -p$DB_PASS",
    'mysql -p"${DB_PASS}" shop',
    "ps -p 12345 && mkdir -p src/app2 && cp -p a1.txt b2.txt",
    "ssh -p 22022 host",
    "docker run -p 8080:8080 -p 5432:5432 postgres:16",
    "docker compose -p project42 up",
    'docker login -u me -p "$TOKEN" ghcr.io',
    "docker login registry.example.com",
    "mkdir -p /var/lib/mysql-files2 && chown mysql:mysql /var/lib/mysql",
    "mysql is listening; use nc -p 33061",
    "the mysql client's -p option asks for it",
    "sshpass -f /run/secrets/pw1 ssh -p 22022 host",
    "sshpass -e ssh -p 22022 host1",
    "redis-cli -a $REDIS_PASSWORD ping",
    "redis-cli -h localhost -p 6379 ping",
    "ldapsearch -x -W -D cn=admin1",
    "zip -r out1.zip src2",
    "unzip -p archive1.zip file2.txt",
    "7z x archive1.7z -oout2",
    "password is required",
    "The password is incorrect.",
    "password is stored as SHA-256 digest",
    "Das Passwort ist falsch.",
    "Das Passwort ist ung\u00fcltig, bitte neu eingeben",
    "Passwort: erforderlich",
    "mot de passe : obligatoire",
    "Le mot de passe est d\u00e9fini dans l'environnement",
    "mot de passe oubli\u00e9 ?",
    "la contrase\u00f1a es v\u00e1lida",
    "contrase\u00f1a: opcional",
    "a senha \u00e9 obrigat\u00f3ria",
    "\u043f\u0430\u0440\u043e\u043b\u044c: \u043d\u0435\u0432\u0435\u0440\u043d\u044b\u0439",
    "\u043f\u0430\u0440\u043e\u043b\u044c \u043d\u0435 \u0437\u0430\u0434\u0430\u043d",
    "\u5bc6\u7801\u662f\u5fc5\u987b\u7684\u3002",
    "\u5bc6\u7801\uff1a\u8bf7\u8f93\u5165\u5bc6\u7801",
    "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f\u5fc5\u9808\u3067\u3059",
    "reset the password to default",
    "from password to OAuth2-login",
    "with password authentication and pg_hba.conf",
    "using password hashing",
    "psql --no-password shop_db1",
    "vault --vault-password-file vars/pw1.txt",
    "openssl rsa -passin env:KEY_PASS1 -in k.pem",
    "openssl req -passout file:/tmp/p1",
    'echo "$TOKEN" | docker login -u x --password-stdin',
    "echo done2 | tee out.txt",
    'curl -u "$USER:$PASS" https://x',
    "git push -u origin feature-2",
    "htpasswd -c .htpasswd bob",
    "mongodump --port 27017 -d shop2",
    "mongosh mongodb://localhost:27017/shop2",
    "oc login -p $PW",
    "lftp -u $U,$P ftp://x",
    "smbclient -U bob //srv1/share2",
    "mycli -p",
    "test -a file1.txt",
    'keytool -storepass "$STOREPASS" -list',
    "--token-type bearer2",
    "twine upload dist/app-1.2.3.tar.gz",
    "rsync -avzP src1/ host2:dst3/",
    "ALTER USER bob WITH PASSWORD :new_password",
    "mysqld -port1 --datadir=x",
    "the key is Ctrl+Shift+P",
    "Passwort-Hash: bcrypt",
    "password reset",
    "the password field2 is hidden",
    "password reset-2fa-flow starts",
    "password argon2id hashes",
    "password sha512crypt",
    "the password page2.html",
    "password PBKDF2WithHmacSHA256",
    "password test_login2.py",
    "password v2beta1",
    "password bob1@corp.io",
    "password ${DB_PASS1}",
    "password 12345678",
    "password step2 fails",
    "pw = sync_playwright()",
    "pw: playwright.sync_api",
    "pw = await async_playwright().start()",
    "pw: 1024x768",
    "pw=800px",
    'pw = os.environ["DB_PW2"]',
    "user/pass: required/optional",
    "user/pass is configured in settings/prod.py",
    "user/pass combos/pairs1",
    "Parola: obligatorie",
    "parola chiave: foo",
    "heslo je neplatn\u00e9",
    "http -a bob",
    "http -a $USER:$PASS x.org",
    "http://x.org -a log1:file22",
    r"net use Z: \\srv\share /user:x *",
    r"net use Z: \\srv\share /persistent:yes",
    "the net user experience improved /a lot",
    "net user bob * /add",
]


@pytest.mark.parametrize("text", COMMANDS + SENTENCES)
def test_password_is_cut_and_what_is_around_it_stays(text: str) -> None:
    before, _, after = text.partition("{}")
    redacted = redact(text.replace("{}", SECRET)).text

    assert redacted in [f"{before}[redacted:{kind}]{after}" for kind in ("password", "url-password")]
    assert redact(redacted).text == redacted


@pytest.mark.parametrize("text", HARMLESS)
def test_options_of_other_meaning_placeholders_and_words_stay(text: str) -> None:
    assert redact(text).text == text


@given(st.sampled_from(COMMANDS), st.from_regex(r"[A-Z][a-z]{2,6}[0-9]{2,4}[!#+*][a-zA-Z0-9]{2,20}", fullmatch=True))
def test_any_password_of_letters_digits_and_signs_is_cut(command: str, secret: str) -> None:
    assert secret not in redact(command.replace("{}", secret)).text


@pytest.mark.parametrize("text", ["git commit -m fix", "reads the file", "die Datei fehlt, \u00e4rgerlich"])
def test_no_place_is_looked_for_in_ordinary_text(text: str) -> None:
    assert hinted_places(text) == []
