import { fold } from './fold.ts';

/*
 * Function words: articles, pronouns, prepositions, conjunctions, auxiliaries and question words. They say nothing about
 * the subject of a question. A word is one only in its language: `die` is an article in German and a verb in English.
 */

const LISTS: Readonly<Record<string, string>> = {
  en: `a about above after again against all also am an and any are as at be because been before being below between both
    but by can cannot could did do does doing don down during each few for from further had has have having he her here
    hers him his how i if in into is it its itself just may me might more most much must my no nor not now of off on once
    only or other our out over own same shall she should so some such than that the their them then there these they this
    those through to too under until up us very was we were what when where which while who whom whose why will with
    without would you your`,
  de: `aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anders auch auf aus
    bei beim bin bis bist da damit dann das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser
    dieses dir doch dort du durch ein eine einem einen einer eines einig einige er es etwas euch euer eure für gegen hab
    habe haben hat hatte hätte hier hin hinter ich ihm ihn ihnen ihr ihre im in indem ins ist ja jede jedem jeden jeder
    jedes jene kann kannst kein keine können könnte lassen machen man manche mehr mein meine mich mir mit muss müssen
    nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine sich sie sind so solche soll sollen sollte sondern
    sonst über um und uns unser unsere unter viel vom von vor wann war waren warum was weil welche welcher welches wenn
    wer werde werden wie wieder will wir wird wirst wo woher wohin wollen wurde wurden würde zu zum zur zwar zwischen`,
  es: `a al algo algunas alguno algunos ante antes aquel aquella como con contra cual cuál cuáles cuando cuándo cuánta
    cuánto cuántas cuántos cómo de debe debo del desde donde dónde durante e el él ella ellas ellos en entre era es esa
    esas ese eso esos esta está estaba están estas este esto estos estoy fue ha había hacer haciendo hago han has hasta
    hay he la las le les lo los mas más me mi mí mis mucho muy nada ni no nos nosotros nuestra nuestro o os otra otro
    para pero poco podemos por porque puede pueden puedo que qué quien quién se sea según ser si sí sin sobre son soy su
    sus también tan te tengo ti tiene tienen todo todos tu tú tus un una uno unos usted y ya yo`,
  fr: `à ai alors as au aucun aussi autre aux avant avec avoir c ça car ce cela ces cet cette ceux chez ci comme comment
    d dans de depuis des deux dois doit donc du elle elles en encore entre es est et étaient était été être eu eux faire
    fait faut ici il ils j je l la là le les leur leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où
    par pas peu peut peux plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son
    sont sous suis sur t ta te tes toi ton tous tout toute toutes très tu un une va vers vos votre vous y`,
  it: `a ad agli ai al alla alle allo anche avere c che chi ci come con contro cui d da dagli dai dal dalla dalle dallo de
    degli dei del dell della delle dello di dove e è ed era essere fa fare fra gli ha hai hanno ho i il in io l la le lei
    li lo loro lui ma me mi mia mie miei mio ne negli nei nel nell nella nelle nello no noi non nostra nostro o per perché
    più può quale quali quando quanto quella quelle quelli quello questa queste questi questo qui se sei si sia sono sta
    su sua sue sugli sui sul sulla sulle sullo suo te ti tra tu tua tue tuo tutti tutto un una uno vi voi`,
  nl: `aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen haar had
    heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar
    niet niets nog nu of om omdat onder ons ook op over te tegen toch toen tot u uit uw van veel voor waar waarom want
    waren was wat we wel werd wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou`,
  pt: `à ao aos aquela aquele aquilo as às até com como da das de dela dele deles depois do dos e é ela elas ele eles em
    entre era essa esse esta está estão este eu faço fazer foi foram há isso isto já lhe mais mas me mesmo meu meus minha
    minhas muito na não nas nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos pode podem por
    porque porquê posso qual quais quando quanta quantas quanto quantos que quê quem se sem ser seu seus só sua suas são
    também te tem temos tenho ter teu tu tua tudo um uma umas uns você vos`,
  ru: `а без бы был была были было быть в вам вас весь во вот все всего всех всё вы где да даже для до его ее ей если есть
    ещё же за здесь и из или им их к как какая какие какого какой какое какую ко когда кого который кто куда ли лучше между
    меня мне может можно мой моя мои мочь мы на над надо нас наш не него нее ней нельзя нет ни них но ну нужно о об один
    она они оно от откуда по под почему при про с сам свой свои себя сколько со так такой там тебя тем теперь то того тоже
    только том ты у уже хоть чего чей чем через что чтобы чье эта эти это этот я делать`,
  sv: `all alla allt än andra att av bara blev bli blir vara då de dem den denna deras dess dessa det detta dig din dina
    ditt du där efter ej eller en enligt er era ett för från får ha hade han hans har hej henne hennes här hon honom hos
    hur i icke ifrån igen in inga ingen inget innan inte ja jag kan kom kunde man med mellan men mer mig min mina mitt
    mot mycket när ni nu något några någon och också om oss på samma sedan senast sig sin sina sitt ska skall skulle som
    så till under upp ut utan vad var vara varför varje vem vems vi vid vilka vilken vilket vår våra vart är åt över`,
  vi: `và của là có cho không một những các được trong với để ở thì mà này đó khi nào nếu như từ ra vào lên xuống cũng đã
    đang sẽ rằng bị bởi tại vì sao gì ai đâu thế bao nhiêu lâu tôi bạn mình chúng ta nó họ hay hoặc nhưng còn rồi lại nên
    phải làm về theo đến trên dưới trước sau ngoài qua chỉ rất hơn nhất mỗi mấy cái việc`,
  ar: `في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى كيف أين هل لماذا كم أي أو و ثم أن إن كان كانت يكون
    لا لم لن ليس قد كل بعض غير بين حتى عند عندما إذا لكن بل هو هي هم نحن أنا أنت بعد قبل منذ خلال له لها لهم به بها فيه
    فيها منه منها عليه عليها كما لأن أما`,
  fa: `و در به از که این آن را با است برای تا هم یا هر چه چرا چطور چگونه کجا کی چند من تو او ما شما آنها می شود شد بود باشد
    نیست هست یک بر اگر اما پس نه همه هیچ خود دیگر`,
  he: `של את על אל עם זה זו זאת הוא היא הם הן אני אתה אנחנו מה מי מתי איפה איך למה מדוע כמה איזה איזו האם כי אם או גם לא
    כן אין יש היה הייתה היו להיות כל רק עד אחרי לפני בין כאשר אשר אבל אך כמו אז עוד שלי שלך שלו שלה שלנו לי לו לה לנו
    אותו אותה אותם בו בה מן כבר מאוד צריך אפשר כך לכן עושים`,
  ko: `이 그 저 것 수 등 및 또는 그리고 그러나 하지만 어떻게 무엇 무엇을 무엇이 언제 언제까지 어디 어디서 어디에서 누가 누구
    왜 어느 어떤 얼마나 얼마 있다 있는 있나요 없다 없는 하다 하는 하나요 되다 되나요 된다 한다 합니다 해야 위한 위해 대한
    때 더 안 못 잘 좀 내 나 나는 우리 제 수가`,
  ja: `の を に が は で と も や へ から まで より て た し する いる ある ない です ます たい な い れる られる か こと もの
    どう どこ いつ だれ 誰 何 なぜ どの どれ いくら どうする する この その あの これ それ ため よう なる なった できる べき
    さ だ であれ ので のに けど`,
  zh: `的 了 在 是 我 有 和 就 不 人 都 一 一个 上 也 很 到 说 要 去 你 会 着 没有 看 自己 这 那 么 什么 怎么 怎样 怎么办 为什么
    哪里 在哪里 哪 哪儿 谁 多少 多久 几 吗 呢 吧 能 可以 应该 该 多 与 及 或 被 把 给 让 从 对 为 于 之 其 而 但 如果 因为 所以`,
  th: `และ ที่ ใน การ ของ เป็น ได้ ไม่ มี ให้ จะ กับ จาก ว่า นี้ นั้น คือ หรือ แต่ ถ้า เมื่อ อะไร อย่างไร ทำไม ที่ไหน ใคร เท่าไหร่
    ไหม ก็ แล้ว โดย ต้อง ผม ฉัน คุณ เรา`,
};

/** The languages that have each function word, as it is written and folded. */
const languagesOfWord = new Map<string, Set<string>>();
for (const [language, list] of Object.entries(LISTS)) {
  for (const word of list.split(/\s+/)) {
    for (const form of new Set([word, fold(word)])) {
      const languages = languagesOfWord.get(form) ?? new Set();
      languagesOfWord.set(form, languages.add(language));
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the languages in which a word, written in lower case or folded, is a function word. */
export function functionWordLanguages(word: string): ReadonlySet<string> {
  return languagesOfWord.get(word) ?? NONE;
}
