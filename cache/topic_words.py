"""Words that name no topic, because papers on any subject use them."""

from typing import Final

SILENT_WORDS: Final = frozenset(
    """
    aaai ii iii iv ablation able abstract access accompany accomplish accord according account
    accurate
    accurately achievable achieve achieved achievement achieving acknowledge acl acquire across
    actually ad-hoc adapt add addition additional additionally address adequate adequately adopt
    advance advanced advancement advantage aforementioned aid aim ain aistats al algorithm
    algorithmic alleviate allow along alongside alpha alternative among amongst amp ample
    analyse analysis analytical analytically analyze anonymous appear appendix applicability
    applicable application apply approach appropriate approximately arbitrary area aren argue
    arise art article arxiv aspect assess assume assumption attain attempt attract author
    authors automatically available avenue average aware base based baseline basic basis bear
    begin behave behavior behaviour believe beneficial benefit beta better big billion bit
    bridge brief briefly bring broad broadly build building built calculate call capability
    capable capacity capture careful carefully carry case cause cdot center central certain cf
    challenge challenging characteristic characterize choice choose cite claim clear clearly
    close closely co code-base codebase collect collection colm com combination combine come
    common commonly commonly-used comparable comparably comparative compare comparison
    compelling competitive complement complete completely complex component comprehensive
    comprehensively comprise computation computational computed concern conclude conclusion
    concrete conduct conference confirm connect connection consequence consequently consider
    considerable considerably consideration consist consistent consistently constitute construct
    contain contemporary continue contrary contrast contribute contribution conventional core
    corl correct correctly correspond corresponding couldn create critical critically crucial
    current currently cvpr dataset datum day deal decade decrease dedicate deeply define
    definition degrade degree deliver demand demo demonstrate demonstration depend depending
    deploy deployment derive describe description desirable desire desired despite detail
    detailed determine develop development devise did didn differ difference different
    differently difficult difficulty direction directly discover discuss discussion display
    distinct diverse diversity does doesn doing don done downstream dozen draw drawback drive
    driven dub dubbed due earlier early easily easy easy-to-use eccv effective effectively
    effectiveness efficacy efficiency efficient efficiently effort eg eight elegant element
    elucidate embed emerge emerging emnlp emph emphasis emphasize empirical empirically employ
    empower enable enabling encode encounter encourage end end-to-end endow engineer enhance
    enhanced enhancement enhancing enrich ensure entail entire entirely epsilon equip era
    especially essential essentially establish estimate et etc evaluate evaluated evaluating
    evaluation ever-growing evident evolve exact exactly examine example exceed excel excellent
    exceptional exemplify exhibit exist existing expand expect expensive experiment experimental
    experimentally explain explicit explicitly exploit exploration explore express extend
    extended extension extensive extensively extra extract facilitate factor fail failure fall
    far far-reaching fast faster favorable feasible figure fill final finally find finding fine
    first firstly fit five fix fixed flexibility flexible focus focused follow following form
    formal formally formulate formulation forward foster found foundation four fourth frac
    framework free frequently full fully functionality fundamental furthermore future gain gb
    general generally generate github given go goal good got gpu grand great greater greatly
    ground grow growing growth gt guarantee guide guided hadn half handle hard harness hasn
    haven having heavily help hence high high-quality higher highest highlight highly hinder
    hold holistic hope hour html http https huge hundred hyper-parameter hyperparameter iccv
    iclr icml idea ideal ideally identify ie ijcai illustrate immense impact implement
    implementation implication imply importance important importantly impose impressive improve
    improved improvement improving in-depth include including inclusion incorporate increase
    increased increasing increasingly incur indeed independent independently indicate individual
    induce inefficient inf inform informative inherent inherently initial initially innovate
    innovation innovative input insight insightful inspire inspired instance instead integral
    integrate integrated integration intend interest interesting interestingly interplay
    intricate intrinsic introduce introducing introduction intuition intuitive investigate
    investigation involve io isn issue iteration job jointly just kdd keep kind know known lack
    landscape large large-scale largely larger largest last late later latest lay lead leading
    leave less lesson let leverage lie lies like likely limit limitation limited line list
    literature little ll log long long-standing lot low lower lt made main mainly maintain major
    majority make making manage manner mark massive material mathbb mathcal mathematical matter
    maximize meaningful meanwhile meet merely method methodology metric million minimal minimize
    minute mitigate model-agnostic modern modest modification modify moreover motivate motivated
    motivation multiple naacl name named namely naturally nature nbsp near nearly necessary
    necessity need negligible neurips new newly nine nips non notable notably note novel novelty
    numerical numerically numerous observation observe obtain obtained occur off-the-shelf offer
    one open-source openreview operate operation opportunity opposed ordinary org orthogonal
    ours outcome outperform outperforming output outstanding overall overcome overhead overlook
    overview page paper paradigm parameter part partial partially particular particularly pass
    past pave people percent perform performance performant perspective phase phenomenon piece
    pipeline play plethora plug-and-play poly popular popularity posed positive possess possible
    possibly potential potentially powerful practical practically practice practitioner pre
    precise precisely preliminary prepare preprint presence present preserve prevail prevalent
    prevent previous previously primarily primary principal principle principled prior problem
    procedure proceed produce profound progress prohibitive prohibitively project prominent
    promise promising promote prone proof proper properly proposal propose proposed provable
    provably prove proven provide publicly pursue push quantify quantitative quantitatively
    quantity quick quickly quite quot raise range rapid rapidly rare rarely ratio rationale re
    re-think reach readily real real-world realistic realize reason reasonable reasonably
    receive recent recently recognize reduce reduced reducing reduction refer refine regard
    regarding regime related relationship relative relatively release relevant reliable reliably
    rely remain remaining remarkable remarkably remove report repository represent
    representative require requirement requiring research researcher respect respective
    respectively rest restrict restrictive result resulting retain rethink reveal revisit rich
    rigorous rigorously rise robustly role room run sake satisfactory satisfy save scalable
    scarce scenario scheme scope sec second secondly section seek seen select sense separate
    serious serve setting setup seven severe severely share shed short shouldn show showcase
    showing shown significance significant significantly similar similarity similarly simple
    simplicity simplify simply simultaneously single situation six skill slightly slow small
    smaller so-called solely solid solution solve solving sophisticated sota source span special
    specialized specific specifically specify speed-up speedup spite sqrt stage standard
    standardized start state-of-art state-of-the-art straightforward strategy strength
    strengthen stress strict strictly strike strive strong stronger strongly study sub subject
    subsequent subsequently subset substantial substantially succeed success successful
    successfully suffer sufficient sufficiently suggest suggestion suitable suite summarize sup
    superior superiority supplemental supplementary supply surpass surprising surprisingly
    survey system systematic systematically table tackle tailor tailored take taken task
    technique technology ten tend term testing textbf theorem theoretical theoretically thereby
    thing third thorough thoroughly thousand three tie tilde today top total toward towards
    trade-off tradeoff tradition traditional train trained treat tremendous trend trial trivial
    true try turn twice two type typical typically ubiquitous ultimate ultimately unable unclear
    underlie underlying underpin underscore understand understanding understudied undertake
    unexplored unfortunately unified unify unifying unique uniquely unknown unlike unlock
    unprecedented unravel unseen up-to-date upon usability usage used useful user-friendly uses
    using usual usually utility utilization utilize valid validate validation validity valuable
    variability variant variation variety various vary vast ve verify versatile version versus
    via viable video-demo vital vs wasn way weakness website well-established well-known weren
    whose wide wide-ranging widely widely-used widespread wild within without won word work
    workshop worse worst wouldn www x year yield yielding zero
    """.split()  # noqa: SIM905 - words are read and amended more easily than quoted words
)
"""Words that end a phrase, beside the English stop words; in the singular, lower case.

Gathered by reading which words most often, and most evenly, occur in abstracts of all subjects.
"""

WEAK_WORDS: Final = frozenset(
    """
    2d 3d 4d accuracy action activation adaptation adaptive adversarial agent aligned alignment
    answer architecture artificial attention autonomous batch bayesian benchmark best bias
    binary black-box bound category causal change class classification classifier cluster
    clustering code color communication community complexity compute concept condition
    constraint content context continuous control convergence convex cost data decision deep
    design detection dimension dimensional direct discovery discrete distance distributed
    distribution distributional document domain driving dynamic dynamical dynamics edge effect
    embedding embodied encoder encoding engineering entity environment equation error estimation
    estimator event evidence expert fact factual feature feedback field fine-tune fine-tuned
    fine-tuning finetuning function functional game gap generalization generalize generation
    generative generator global gradient graphical grounding group guidance hand harmful human
    hybrid image inference information informed instruction intelligence interaction interactive
    interpretable item joint key knowledge label labeled labelled language latency latent layer
    learn learned learner learning level light linear link local loss machine mapping match
    matching matrix mean measure mechanism memory mixture modal modality mode model modeling
    modelling module multi multi-modal multi-task multimodal natural natural-language network
    neural node noise noisy non-linear nonlinear nonparametric number object objective
    observational online open operator optimal optimisation optimization optimize optimizer
    order pair parallel parameterized parametric passing pattern place planning point policy
    pose position power pre-train pre-trained pre-training predict prediction predictive
    predictor preference pretrained pretraining process processing program prompt property
    quality query question random rank rate reasoning recognition region regularization relation
    representation resource response review risk robotic robust robustness rule safe safety
    sample sampling scale scaling scene search selection semantic sequence sequential set shape
    shift signal size software space sparse spatial speed state statistic statistical step
    stochastic structure supervised supervision support tail target temporal test text textual
    theoretic theory time token tool toxic training transfer transform tree tuning uncertainty
    unsupervised update use user value variable variance vector view vision visual vulnerability
    vulnerable weight weighted world
    """.split()  # noqa: SIM905 - words are read and amended more easily than quoted words
)
"""Words too general to name a topic alone, though they do in a phrase: "conformal prediction"."""
