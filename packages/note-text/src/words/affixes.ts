import { dictionaryForms, verbKeys } from './korean-verbs.ts';

/*
 * Arabic, Hebrew, Korean and Persian attach articles, prepositions, conjunctions, particles, plurals and pronouns to words.
 * Two words share a key when they may be the same word with other affixes. Several readings of a word are possible, so it
 * may have several keys.
 */

export type AffixLanguage = 'ar' | 'fa' | 'he' | 'ko';

/** Returns the keys of a folded word, first the one without its longest affixes. */
export function affixKeys(word: string, language: AffixLanguage): readonly string[] {
  const { prefixes, suffixes, normalize } = AFFIXES[language];
  const keys = new Set<string>();
  for (const prefix of prefixes) {
    if (!word.startsWith(prefix) || (prefix !== '' && word.length - prefix.length < MIN_REST)) continue;
    const rest = word.slice(prefix.length);
    keys.add(normalize(withoutSuffix(rest, suffixes)));
  }
  // What looks like a particle of a Korean noun is often a part of the word, and the word may be a verb.
  if (language === 'ko') for (const key of [word, ...verbKeys(word)]) keys.add(key);
  // Persian pronouns are single letters, in which many words end.
  if (language === 'fa') for (const rest of everyRest(word, suffixes)) keys.add(normalize(rest));
  return [...keys];
}

/**
 * Returns whether two Korean words that share a key may be forms of one word: verbs of many stems have the same key.
 */
export function mayBeForms(one: string, other: string): boolean {
  const suffixes = AFFIXES.ko.suffixes;
  const nouns = [one, withoutSuffix(one, suffixes)];
  if (nouns.includes(other) || nouns.includes(withoutSuffix(other, suffixes))) return true;
  const forms = dictionaryForms(one);
  return dictionaryForms(other).some((form) => forms.includes(form));
}

/** Returns whether one word is the other with a prefix before it, as `the` is written in Arabic and Hebrew. */
export function differByPrefix(one: string, other: string, language: AffixLanguage): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.endsWith(short) && AFFIXES[language].prefixes.includes(long.slice(0, long.length - short.length));
}

/** The letters that must be left of a word without its prefix. */
const MIN_REST = 2;

interface Affixes {
  readonly prefixes: readonly string[];
  /** Longest first, each with the number of letters that must be left before it. */
  readonly suffixes: readonly (readonly [string, number])[];
  readonly normalize: (rest: string) => string;
}

const FINAL_LETTERS: Readonly<Record<string, string>> = { ך: 'כ', ם: 'מ', ן: 'נ', ף: 'פ', ץ: 'צ' };

const AFFIXES: Readonly<Record<AffixLanguage, Affixes>> = {
  ar: {
    prefixes: list('و ف ب ك ل س ال لل وال بال فال كال ولل ول وب'),
    suffixes: suffixList('ها:3 هم:3 نا:3 ات:2 ون:2 ين:2 ان:3 يه:2 ية:2 تي:3 ته:3 ه:3 ة:2 ي:3 ا:3 ت:3'),
    normalize: (rest) => rest.replace(/ى$/, 'ي'),
  },
  // Plurals, comparison, pronouns and the article, as in the light stemmer of Dolamic and Savoy, "Persian language, is
  // stemming efficient?" (2009). A final `ه` goes with the plural `ات`. Letters are those to which `fold` turns Persian ones.
  fa: {
    prefixes: list(''),
    suffixes: suffixList(
      'هايشان:2 هايمان:2 هايتان:2 هايي:2 هايم:2 هايت:2 هايش:2 هاي:2 ها:2 ترين:2 تر:2 ات:2 ان:3 اي:2 شان:3 مان:3 تان:3 ام:3 اش:3 يي:2 ي:3 م:3 ت:3 ش:3',
    ),
    normalize: (rest) => (rest.length > 3 ? rest.replace(/ه$/, '') : rest),
  },
  he: {
    prefixes: list('ה ו ב כ ל מ ש וה וב וכ ול ומ וש שה שב של שמ מה לה בה כש וכש'),
    suffixes: suffixList('יות:2 יים:2 ים:2 ות:2 ית:3 ה:2 ת:3 י:3'),
    normalize: (rest) => rest.replace(/[ךםןףץ]$/, (letter) => FINAL_LETTERS[letter] ?? letter),
  },
  ko: {
    prefixes: list(''),
    suffixes: suffixList(
      `에서는:1 에서도:1 에게서:1 으로는:1 으로도:1 이라는:2 하려면:2 합니다:2 됩니다:2 하였다:2 까지는:1 부터는:1 에서:1 에게:1 에는:1
      에도:1 으로:1 까지:1 부터:1 처럼:1 보다:1 마다:1 이나:2 이다:2 이고:2 하는:2 하다:2 하고:2 하면:2 하기:2 해서:2 했다:2 한다:2 하여:2
      하지:2 할지:2 되는:2 되다:2 되면:2 된다:2 됐다:2 이란:2 란:2 을:1 를:1 이:1 가:2 은:1 는:1 에:1 의:1 도:1 로:2 와:1 과:1 만:1
      나:2 할:2 한:2 해:2 된:2 될:2 인:2`,
    ),
    normalize: (rest) => rest,
  },
};

function list(words: string): string[] {
  return ['', ...words.split(' ').filter((word) => word !== '')];
}

function suffixList(text: string): (readonly [string, number])[] {
  const suffixes = text.split(/\s+/).map((entry) => {
    const [suffix = '', least = ''] = entry.split(':');
    return [suffix, Number(least)] as const;
  });
  return suffixes.sort(([a], [b]) => b.length - a.length);
}

function withoutSuffix(word: string, suffixes: Affixes['suffixes']): string {
  for (const [suffix, least] of suffixes) {
    if (word.endsWith(suffix) && word.length - suffix.length >= least)
      return word.slice(0, word.length - suffix.length);
  }
  return word;
}

/** Returns a word, and what is left of it without each suffix in which it ends. */
function everyRest(word: string, suffixes: Affixes['suffixes']): string[] {
  const fitting = suffixes.filter(([suffix, least]) => word.endsWith(suffix) && word.length - suffix.length >= least);
  return [word, ...fitting.map(([suffix]) => word.slice(0, word.length - suffix.length))];
}
