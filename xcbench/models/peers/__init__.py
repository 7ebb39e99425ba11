"""Models of other libraries, behind the same protocol as ours."""

from xcbench.models.peers.installed import missing, require
from xcbench.models.peers.napkinxc import NapkinXC
from xcbench.models.peers.omikuji import Omikuji
from xcbench.models.peers.pecos import Pecos

__all__ = ["NapkinXC", "Omikuji", "Pecos", "missing", "require"]
