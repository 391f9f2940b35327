/*
 * Korean verbs and adjectives change before their endings: `고치-` (to mend) is written `고쳤다` in the past and `고치는`
 * before a noun. What may be the dictionary form (`고치다`) is found by undoing the rules of the Hangul orthography
 * (한글 맞춤법, National Institute of Korean Language, articles 15 to 18 and 34 to 36).
 */

/** Returns the possible dictionary forms of a word; none for a word without a verb's ending. */
export function dictionaryForms(word: string): string[] {
  return stemsOf(word).map((stem) => `${stem}다`);
}

/**
 * Keys that the forms of a verb share with those of other verbs, by the first syllable: an index of all the forms that a
 * word may have would be half larger.
 */
export function verbKeys(word: string): string[] {
  return [...new Set(stemsOf(word).map((stem) => `${unchanging(stem).charAt(0)}다`))];
}

/** Returns a stem without what changes before vowels. */
function unchanging(stem: string): string {
  const { initial, vowel, final } = lastSyllable(stem);
  if (final === L || final === B || final === D || final === S) return unchanging(withLast(stem, { final: NONE }));
  if (final !== NONE || stem.length === 1) return stem;
  const rest = stem.slice(0, -1);
  if (initial === INITIAL_SILENT && (vowel === U || vowel === EU)) return rest;
  const isDoubled = initial === INITIAL_L && lastSyllable(rest).final === L;
  return isDoubled ? withLast(rest, { final: NONE }) + stem.slice(-1) : stem;
}

function stemsOf(word: string): string[] {
  if (!/^[가-힣]+$/.test(word) || NOUN.test(word)) return [];
  const endings = ENDINGS.filter((ending) => word.length > ending.length && word.endsWith(ending));
  const stems =
    endings.length === 0
      ? stemsOfJoined(word)
      : endings.flatMap((ending) => stemsBefore(word.slice(0, word.length - ending.length), ending));
  return [...new Set(stems)];
}

/** Particles that follow nouns alone, or nearly. */
const NOUN = /(?:가|이|를|에|서는|에서|에게|의|로|과|와|만|마다|까지|부터|처럼|보다)$/;

/** Endings that are syllables of their own. */
const ENDINGS = `다 는다 고 는 기 지 게 던 자 면 며 니 러 려고 려면 는데 도록 거나 지만 습니다 니다 서 요 도 야
  은 을 음 으면 으며 으니 으려고 으려면 은데 을지 어요 아요 어서 아서 으니까 니까 네요 는지 세요 으세요`.split(/\s+/);

// A syllable is an initial consonant, a vowel and perhaps a final consonant (Unicode Standard, section 3.12).
const FIRST_SYLLABLE = 0xac00;
const FINALS = 28;
const VOWELS = 21;
const [A, AE, EO, YEO, O, WA, WAE, OE, U, WO, EU, I] = [0, 1, 4, 6, 8, 9, 10, 11, 13, 14, 18, 20] as const;
const [NONE, N, D, L, B, S, SS] = [0, 4, 7, 8, 17, 19, 20] as const;
const CONTRACTED: ReadonlySet<number> = new Set([YEO, WA, WAE, WO]);
const [INITIAL_L, INITIAL_SILENT, INITIAL_H] = [5, 11, 18] as const;

interface Syllable {
  readonly initial: number;
  readonly vowel: number;
  readonly final: number;
}

function lastSyllable(text: string): Syllable {
  const code = text.charCodeAt(text.length - 1) - FIRST_SYLLABLE;
  return {
    initial: Math.floor(code / (VOWELS * FINALS)),
    vowel: Math.floor(code / FINALS) % VOWELS,
    final: code % FINALS,
  };
}

const written = ({ initial, vowel, final }: Syllable) =>
  String.fromCharCode(FIRST_SYLLABLE + (initial * VOWELS + vowel) * FINALS + final);

/** Returns a text with another last syllable. */
function withLast(text: string, change: Partial<Syllable>): string {
  return text.slice(0, -1) + written({ ...lastSyllable(text), ...change });
}

/** Returns the stems to which an ending may have been added. */
function stemsBefore(before: string, ending: string): string[] {
  const last = lastSyllable(before);
  if (last.final === SS) return stemsOfInfinitive(withLast(before, { final: NONE }));
  if (/^[어아]/.test(ending)) return stemsOfInfinitive(before + ending.charAt(0));
  if (/^[서요도야]/.test(ending)) return stemsOfInfinitive(before);
  const stems = [before, ...softened(before)];
  // `만들다`, `만드는`: the stem loses its ㄹ before ㄴ, ㅂ and ㅅ.
  if (last.final === NONE && /^[는니네세습]/.test(ending)) stems.push(withLast(before, { final: L }));
  // `듣다`, `들으면` and `짓다`, `지으면`.
  if (/^[은을음으]/.test(ending)) stems.push(...beforeVowel(before));
  const isJoined = (ending === '니다' && last.final === B) || (ending === '다' && last.final === N);
  return isJoined ? [...stems, ...stemsWithout(before)] : stems;
}

/**
 * Returns the stems of a word that has no ending but a final ㄴ or a contraction. ㄹ and ㅁ, and vowels that are not
 * contracted, are those of far more nouns.
 */
function stemsOfJoined(word: string): string[] {
  const { initial, vowel, final } = lastSyllable(word);
  if (final === N) return stemsWithout(word);
  if (final !== NONE || word.length === 1) return [];
  if (vowel === A || vowel === EO) return initial === INITIAL_SILENT ? stemsOfInfinitive(word) : doubled(word);
  const isContracted = CONTRACTED.has(vowel) || (vowel === AE && initial === INITIAL_H);
  return isContracted ? stemsOfInfinitive(word) : [];
}

/** Returns the stems of a form to whose last syllable ㄴ or ㅂ was added. */
function stemsWithout(form: string): string[] {
  const stem = withLast(form, { final: NONE });
  return [stem, ...softened(stem), withLast(stem, { final: L })];
}

/** `춥다`, `추우면`: the ㅂ of a stem becomes a syllable. */
function softened(stem: string): string[] {
  const { initial, vowel, final } = lastSyllable(stem);
  const isSoft = initial === INITIAL_SILENT && vowel === U && final === NONE;
  return isSoft && stem.length > 1 ? withFinalBefore(stem, B) : [];
}

/** Returns the text without its last syllable, with a final consonant if it has none. */
function withFinalBefore(text: string, final: number): string[] {
  const rest = text.slice(0, -1);
  return rest !== '' && lastSyllable(rest).final === NONE ? [withLast(rest, { final })] : [];
}

/** `듣다` is `들` before a vowel, `짓다` is `지`. */
function beforeVowel(stem: string): string[] {
  const { final } = lastSyllable(stem);
  if (final === L) return [withLast(stem, { final: D })];
  return final === NONE ? [withLast(stem, { final: S })] : [];
}

/** Returns the stems of a form in `아` or `어`, which is contracted with a stem that ends in a vowel. */
function stemsOfInfinitive(form: string): string[] {
  const { initial, vowel, final } = lastSyllable(form);
  if (final !== NONE) return [];
  const rest = form.slice(0, -1);
  const isSilent = initial === INITIAL_SILENT;
  switch (vowel) {
    case A:
    case EO:
      if (isSilent) return rest === '' ? [] : [rest, `${rest}으`, ...beforeVowel(rest)];
      return [form, withLast(form, { vowel: EU }), ...doubled(form)];
    case YEO:
      return [withLast(form, { vowel: I })];
    case WA:
      return [withLast(form, { vowel: O }), ...(isSilent ? withFinalBefore(form, B) : [])];
    case WO:
      return [withLast(form, { vowel: U }), ...(isSilent ? withFinalBefore(form, B) : [])];
    case WAE:
      return [withLast(form, { vowel: OE })];
    case AE:
      return [form, ...(initial === INITIAL_H ? [withLast(form, { vowel: A })] : [])];
    default:
      return [form];
  }
}

/** `자르다`, `잘라`: the stem in `르` doubles its ㄹ. */
function doubled(form: string): string[] {
  const rest = form.slice(0, -1);
  if (rest === '' || lastSyllable(form).initial !== INITIAL_L || lastSyllable(rest).final !== L) return [];
  return [`${withLast(rest, { final: NONE })}르`];
}
