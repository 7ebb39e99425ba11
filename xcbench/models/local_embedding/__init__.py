"""Local embeddings of label neighbourhoods: one module per stage."""

from xcbench.models.local_embedding.ensemble import LocalEmbedding

__all__ = ["LocalEmbedding"]
