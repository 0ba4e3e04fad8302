"""A tiny entailment model whose weights are set by hand, so that what it must say is known.

One layer that attends to every token alike: its first token becomes the mean of all words. Words
vote: the share that the votes for an output have of all tokens, pair marks included, is held
against `SHARE`; above it that output's logit is near +4, below it near -4, and neutral's is 0.
So one vote is a matter of how much stands around it, and two half votes of whether they stand
together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SHARE = 0.112
STEEPNESS = 200.0
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
VOTES: Mapping[str, Mapping[str, float]] = {
    "entailment": {"yes": 5.0, "red": 1.0, "blue": 1.0},
    "contradiction": {"no": 5.0, "cold": 1.0, "wet": 1.0},
}
WORDS = ("the", "box", "lid", "is", "and", "a", "of", "both", "colours", "are", "there", ".")
HIDDEN = 64
LABELS = ("entailment", "neutral", "contradiction")


def build(
    folder: Path,
    labels: Sequence[str] = LABELS,
    *,
    meanings: Sequence[str] | None = None,
    longest: int = 128,
) -> Path:
    """The model in ``folder``. ``labels`` are what its configuration calls its outputs, which
    mean ``meanings`` (the same words where not given)."""
    _tokenizer(longest).save_pretrained(folder)
    _network(tuple(labels), tuple(meanings or labels), longest).save_pretrained(folder)
    return folder


def probability(words: int, votes: float) -> float:
    """Of entailment, where ``votes`` speak for it among ``words`` tokens and none against it."""
    logit = 4 * math.tanh(STEEPNESS * (votes / words - SHARE))
    return math.exp(logit) / (math.exp(logit) + 1 + math.exp(-4))


def _vocabulary() -> dict[str, int]:
    voters = [word for votes in VOTES.values() for word in votes]
    return {word: at for at, word in enumerate((*SPECIAL, *WORDS, *voters))}


def _tokenizer(longest: int) -> Any:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    words = _vocabulary()
    core = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    core.normalizer, core.pre_tokenizer = Lowercase(), Whitespace()
    core.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", words["[CLS]"]), ("[SEP]", words["[SEP]"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        model_max_length=longest,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )


def _network(labels: tuple[str, ...], meanings: tuple[str, ...], longest: int) -> Any:
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=len(_vocabulary()),
        hidden_size=HIDDEN,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=longest,
        # So large that normalising only takes the mean away.
        layer_norm_eps=1e4,
        id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)},
    )
    network = BertForSequenceClassification(config)
    with torch.no_grad():
        _set_by_hand(network, meanings)
    return network


def _set_by_hand(network: Any, meanings: tuple[str, ...]) -> None:
    for name, weights in network.named_parameters():
        weights.fill_(100.0 if "LayerNorm.weight" in name else 0.0)
    words, bert = _vocabulary(), network.bert
    for at in range(len(words)):
        bert.embeddings.word_embeddings.weight[at, at] = 1.0
    layer = bert.encoder.layer[0].attention
    for dense in (layer.self.value, layer.output.dense):
        dense.weight.fill_diagonal_(1.0)
    for at, meaning in enumerate(meanings):
        votes = VOTES.get(meaning, {})
        if not votes:
            continue
        for word, vote in votes.items():
            bert.pooler.dense.weight[at, words[word]] = STEEPNESS * vote
        # Two words of one each were in the mean and the first token, and so taken away from all.
        taken = 2 * sum(votes.values()) / HIDDEN
        bert.pooler.dense.bias[at] = STEEPNESS * (taken - SHARE)
        network.classifier.weight[at, at] = 4.0
