"""Programs of the documents' readers: each is run once, and its tests look at what it left."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
