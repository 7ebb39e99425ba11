"""``python -m xcbench``: the same as the command ``xcbench``."""

from xcbench.cli.main import main

if __name__ == "__main__":
    main()
