import { invalid } from '../errors.ts';

export const NAME_MAX = 255;

/**
 * Characters that nobody sees, or that change how others are shown: control characters, bidi controls, zero-width and
 * tag characters, fillers, blank symbols. Most of them are `Default_Ignorable_Code_Point`.
 */
const HIDDEN = String.raw`\p{Cc}\p{Zl}\p{Zp}\p{DI}\u2800\ufff9-\ufffb\u{13430}-\u{1343f}\u{1d159}`;
const SEEN = String.raw`[^\s${HIDDEN}]`;
const SELECTOR = String.raw`[\ufe0e\ufe0f]`;
/**
 * Matches hidden characters, and first, captured, what may have them: a joiner or variation selector between two seen
 * characters, as in Persian words and in emoji, or an emoji that ends in a variation selector. It has no look-behind,
 * because WebKit before 16.4 refuses scripts with one.
 */
const HIDDEN_OR_JOINED = new RegExp(
  String.raw`(${SEEN}(?:${SELECTOR}?[\u200c\u200d]|${SELECTOR})(?=${SEEN})|\p{ExtPict}${SELECTOR})|[${HIDDEN}]`,
  'gu',
);

/** Puts a space in the place of each hidden character. */
function withoutHidden(text: string): string {
  return text.replace(HIDDEN_OR_JOINED, (_, joined: string | undefined) => joined ?? ' ');
}

/** Returns whether a text is without hidden characters, by which two equal-looking names could differ. */
export function isVisible(text: string): boolean {
  return withoutHidden(text) === text;
}

/** Returns a name that people choose, trimmed; empty if it is blank. Throws `validation`. */
export function cleanName(text: string, field = 'name', max = NAME_MAX): string {
  const name = text.toWellFormed().trim();
  if ([...name].length > max) throw invalid({ [field]: [`must have at most ${max} characters`] });
  if (!isVisible(name)) throw invalid({ [field]: ['must not have control or invisible characters'] });
  return name;
}

/** Like `cleanName`, for the `name` of what must have one. */
export function requiredName(text: string): string {
  const name = cleanName(text);
  if (name === '') throw invalid({ name: ["can't be blank"] });
  return name;
}

/** Makes an untrusted text safe to show to people, on one line; null when nothing is left. */
export function cleanText(text: unknown, max = NAME_MAX): string | null {
  if (typeof text !== 'string') return null;
  const clean = onOneLine(text.toWellFormed());
  // A cut may leave a joiner at the end.
  return clean === '' ? null : onOneLine([...clean].slice(0, max).join(''));
}

function onOneLine(text: string): string {
  return withoutHidden(text).replace(/\s+/gu, ' ').trim();
}
