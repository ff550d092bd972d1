"""What makes programs inside use the proxy: variables, and files for those that read none.

Java's own variables (``JAVA_TOOL_OPTIONS``, ``JDK_JAVA_OPTIONS``) are left alone: every program of Java's would say on
its standard error that it read them, and what deliverables print is compared.
"""

from __future__ import annotations

PROXY_PORT = 8078

_NOT_BY_PROXY = ("localhost", "127.0.0.1", "::1")
_MAVEN = """\
<?xml version="1.0" encoding="UTF-8"?>
<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">
  <proxies>
{proxies}
  </proxies>
</settings>
"""
_MAVEN_PROXY = """\
    <proxy>
      <id>sandbox-{protocol}</id>
      <active>true</active>
      <protocol>{protocol}</protocol>
      <host>127.0.0.1</host>
      <port>{port}</port>
      <nonProxyHosts>localhost|127.0.0.1</nonProxyHosts>
    </proxy>"""


def environment(port: int = PROXY_PORT) -> dict[str, str]:
    """Variables for every process inside."""
    url = f"http://127.0.0.1:{port}"
    found: dict[str, str] = {}
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        found |= {name: url, name.lower(): url}  # curl reads http_proxy in small letters only, others the large ones
    without = ",".join(_NOT_BY_PROXY)
    return {
        **found,
        "NO_PROXY": without,
        "no_proxy": without,
        "NODE_USE_ENV_PROXY": "1",
        "CARGO_NET_OFFLINE": "false",  # images say otherwise
        "YARN_HTTP_PROXY": url,
        "YARN_HTTPS_PROXY": url,
        "SBT_OPTS": " ".join(f"-D{line}" for line in _java(port)),
    }


def files(port: int = PROXY_PORT) -> dict[str, str]:
    """Texts of files by their paths inside, for Maven, and for Gradle with its wrapper."""
    proxies = "\n".join(_MAVEN_PROXY.format(protocol=protocol, port=port) for protocol in ("http", "https"))
    return {
        "/root/.m2/settings.xml": _MAVEN.format(proxies=proxies),
        "/root/.gradle/gradle.properties": "".join(f"systemProp.{line}\n" for line in _java(port)),
    }


def _java(port: int) -> list[str]:
    lines = []
    for protocol in ("http", "https"):
        lines += [f"{protocol}.proxyHost=127.0.0.1", f"{protocol}.proxyPort={port}"]
    return lines  # loopback is without a proxy by default
