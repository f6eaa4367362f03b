"""Turns the address of a remote into the key of its project: `host/path`, the same for every way of writing it.

    git@github.com:Acme/Shop.git
    https://user:password@github.com/acme/shop        github.com/acme/shop
    ssh://git@github.com-work:22/acme/shop.git/

Without scheme, user, password, port and `.git`, in lower case: hosts and the large forges do not tell cases apart, and
a key that did would split a team. An alias of ssh is what the user's `~/.ssh/config` says it is.
"""

from __future__ import annotations

from memoryserver.common.project_key import normalized

_SSH = ("", "ssh", "git+ssh", "ssh+git")
_REMOTE = (*_SSH, "git", "http", "https", "ftp", "ftps")
_OTHER_DOORS = {  # hosts at which a forge takes ssh on the port of https
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}


def of(url: str) -> str:
    """Return the key of the remote `url`; "" for a local path, and for what is not an address of a host."""
    scheme, separator, rest = url.strip().partition("://")
    if not separator:
        scheme, rest = "", url.strip()
    elif "::" in scheme:  # the name of a remote helper stands before the address
        scheme = scheme.rpartition("::")[2]
    scheme = scheme.lower()
    if scheme not in _REMOTE:
        return ""
    host, path = _of_url(rest) if scheme else _of_scp(rest)
    if scheme.startswith(("http", "ftp")):
        path = path.partition("?")[0].partition("#")[0]
    host = host.lower().rstrip(".")
    path = "/".join(part for part in path.split("/") if part not in ("", "."))
    path = path.removesuffix(".git").rstrip("/")
    if not host or not path:
        return ""
    if scheme in _SSH:
        host = _real_host(host)
    return normalized(f"{_OTHER_DOORS.get(host, host)}/{path}")


def _of_url(rest: str) -> tuple[str, str]:
    """Return the host and the path of a URL after its `://`."""
    authority, _, path = rest.partition("/")
    if "@" not in authority and ":" in authority:
        # A password that holds a slash ends what looks like the host; nothing of it may stay.
        before, at, after = path.rpartition("@")
        if at and before and not before.endswith("/"):
            authority, _, path = after.partition("/")
    authority = authority.rpartition("@")[2]
    if authority.startswith("["):
        return authority.partition("]")[0] + "]", path
    host, _, port = authority.partition(":")
    return (host, path) if port.isdigit() or not port else ("", "")


def _of_scp(address: str) -> tuple[str, str]:
    """Return the host and the path of `user@host:path`; both empty for a local path."""
    front, colon, path = address.partition(":")
    if front.startswith("[") or "@[" in front:  # [user@host:port]:path or user@[::1]:path
        inside, closed, path = address.partition("[")[2].partition("]:")
        host = inside.rpartition("@")[2]
        if not closed:
            return "", ""
        return (host.partition(":")[0] if host.count(":") < 2 else f"[{host}]"), path
    if not colon or "/" in front or path.startswith(":"):  # a local path, or a remote helper with its own addresses
        return "", ""
    if "@" in path and "@" not in front:  # user:password@host:path, which git does not know; nothing of it may stay
        return _of_scp(path.rpartition("@")[2])
    host = front.rpartition("@")[2]
    return (host, path) if len(host) > 1 else ("", "")  # one letter is a drive of Windows


def _real_host(host: str) -> str:
    """Return the name of the host that ssh knows as `host`.

    A name in `HostName` counts, an address or `localhost` does not: it is the way to a host, by a tunnel say, and not
    how the team calls it. Without an entry, what follows a hyphen in the last part of the name goes, since no domain
    of the internet ends in such a part: `github.com-work` is the usual name for a second account.
    """
    from memoryserver.client import ssh_config

    name = ssh_config.host_name(host).lower().rstrip(".")
    is_name = any(char.isalpha() for char in name.rpartition(".")[2]) and ":" not in name
    if is_name and ("." in name or "." not in host):
        host = name
    front, dot, last = host.rpartition(".")
    if dot and "-" in last and not last.startswith("xn--"):
        return f"{front}.{last.partition('-')[0]}"
    return host
