"""Information: entropies, divergences, mutual information, capacity, codes, and cuts by description length.

Probabilities must add up to 1, and are never rescaled silently; counts are said to be counts. Logarithms are to base 2 (bits) unless another base
is asked for. A zero probability costs nothing where it is never needed, and makes a divergence infinite where it is.
"""

from .codes import code_picture, code_words, decode_column, decode_labels, encode_column, encode_labels, label_bits
from .degrees import Degrees, polynomial_degree
from .dependence import MutualInformation, NumberPair, mutual_info_classif, mutual_information, neighbour_information, number_information
from .discretizer import MdlDiscretizer
from .distributions import Capacity, channel_capacity, cross_entropy, entropy, jensen_shannon, kl_divergence
from .evidence import ModelPosterior, compare_evidence
from .normal import gaussian_entropy, gaussian_kl, gaussian_mutual_information
from .screening import screen

__all__ = [
    "Capacity",
    "Degrees",
    "MdlDiscretizer",
    "ModelPosterior",
    "MutualInformation",
    "NumberPair",
    "channel_capacity",
    "code_picture",
    "code_words",
    "compare_evidence",
    "cross_entropy",
    "decode_column",
    "decode_labels",
    "encode_column",
    "encode_labels",
    "entropy",
    "gaussian_entropy",
    "gaussian_kl",
    "gaussian_mutual_information",
    "jensen_shannon",
    "kl_divergence",
    "label_bits",
    "mutual_info_classif",
    "mutual_information",
    "neighbour_information",
    "number_information",
    "polynomial_degree",
    "screen",
]
