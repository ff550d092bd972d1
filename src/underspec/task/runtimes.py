"""Which programs a language's deliverables need where the image is ``host``: the machine's own ``/usr``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.errors import EnvironmentLacksError

HOST = "host"
USR = Path("/usr")


@dataclass(frozen=True)
class Runtime:
    """The program that runs or builds what is written in a language, and the Debian package that has it."""

    program: str
    package: str

    def present(self, usr: Path = USR) -> bool:
        """Whether sandboxes of the image ``host`` find it. What lies in ``/usr/local`` they do not see."""
        return (usr / "bin" / self.program).is_file()

    @property
    def mend(self) -> str:
        """How to get it."""
        return f"install it: `apt-get install {self.package}` on Debian"


RUNTIMES = {
    "C++": Runtime("g++", "g++"),
    "Go": Runtime("go", "golang-go"),
    "JavaScript": Runtime("node", "nodejs"),
    "PHP": Runtime("php", "php-cli"),
    "Python": Runtime("python3", "python3"),
    "Ruby": Runtime("ruby", "ruby"),
}
"""By a task's language, as ``task.toml`` spells it; the languages of the bundled tasks."""


def missing_runtime(language: str, image: str, usr: Path = USR) -> Runtime | None:
    """What a task's deliverables lack on this machine; None when nothing does, or nobody can say."""
    runtime = RUNTIMES.get(language) if image == HOST else None
    return None if runtime is None or runtime.present(usr) else runtime


def require_runtime(language: str, image: str, usr: Path = USR) -> None:
    """See that nobody's score suffers for what a machine lacks.

    Raises:
        EnvironmentLacksError: deliverables in that language could not run on this machine; says what to install.
    """
    if runtime := missing_runtime(language, image, usr):
        message = f"/usr/bin/{runtime.program} is not there, without which nothing in {language} runs in the image host"
        raise EnvironmentLacksError(message, mend=f"{runtime.mend}, or give --use-image language")
