"""The judge that asks a language model, over HTTP."""
