const UMLAUTS: Readonly<Record<string, string>> = { ä: 'a', ö: 'o', ü: 'u', ae: 'a', oe: 'o', ue: 'u' };
/** A participle or an infinitive with `zu`, of a verb with a prefix that stands by itself: `aufgepumpt`, `aufzupumpen`. */
const SEPARABLE =
  /^(ab|an|auf|aus|bei|durch|ein|fest|her|hin|los|mit|nach|um|vor|weg|weiter|wieder|zu|zurück|zusammen)(?:ge(?=.{2,}(?:t|en)$)|zu(?=.{2,}en$))/;

/**
 * Returns the stem of a German word in lower case, by CISTEM: Weissweiler and Fraser, “Developing a Stemmer for German
 * Based on a Comparative Analysis of Publicly Available Stemmers”, GSCL 2017. Beyond it, umlauts may be written with an
 * `e`, as in the variant “german2” of Snowball, and verbs with separable prefixes have one stem.
 */
export function cistem(word: string): string {
  let stem = word.replace(SEPARABLE, '$1').replace(/^ge(?=.{4})/, '');
  stem = stem.replace(/[äöü]|[ao]e|(?<![aeq])ue/g, (letters) => UMLAUTS[letters] ?? letters).replaceAll('ß', 'ss');
  stem = stem.replaceAll('sch', '$').replaceAll('ei', '%').replaceAll('ie', '&').replace(/(.)\1/g, '$1*');
  while (stem.length > 3) {
    const shorter = stem.length > 5 ? stem.replace(/(?:e[mr]|nd)$/, '') : stem;
    const next = shorter === stem ? stem.replace(/[tesn]$/, '') : shorter;
    if (next === stem) break;
    stem = next;
  }
  return stem.replace(/(.)\*/g, '$1$1').replaceAll('&', 'ie').replaceAll('%', 'ei').replaceAll('$', 'sch');
}
