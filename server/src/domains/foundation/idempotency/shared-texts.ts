import { type Static, Type } from 'typebox';

/** Positions of request texts in an answer: the path of fields, and the index among the request's long texts. */
export const SharedTexts = Type.Array(
  Type.Object({ path: Type.Array(Type.Union([Type.String(), Type.Integer()])), text: Type.Integer() }),
);
export type SharedTexts = Static<typeof SharedTexts>;

/** Maximum length of lists that are searched; longer ones contain no whole texts, but for example links. */
const LIST_MAX = 1000;
const DEPTH_MAX = 5;

/**
 * Replaces the texts of an answer that are long texts of its request by null, and returns their positions.
 *
 * @param texts the request's long texts.
 */
export function takeOutTexts(
  body: unknown,
  texts: readonly string[],
): { readonly body: unknown; readonly shared: SharedTexts } {
  const shared: SharedTexts = [];
  if (texts.length === 0) return { body, shared };
  const shortest = Math.min(...texts.map((text) => text.length));
  const without = (value: unknown, path: (string | number)[]): unknown => {
    if (typeof value === 'string') {
      const at = value.length < shortest ? -1 : texts.indexOf(value);
      if (at < 0) return value;
      shared.push({ path, text: at });
      return null;
    }
    if (typeof value !== 'object' || value === null || path.length === DEPTH_MAX) return value;
    if (Array.isArray(value)) {
      return value.length > LIST_MAX ? value : value.map((item, index) => without(item, [...path, index]));
    }
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, without(field, [...path, key])]));
  };
  return { body: without(body, []), shared };
}

/** Restores the texts of an answer; changes `body`. */
export function withTexts(body: unknown, shared: SharedTexts, texts: readonly string[]): unknown {
  let answer = body;
  for (const { path, text } of shared) {
    const field = path.at(-1);
    if (field === undefined) {
      answer = texts[text];
      continue;
    }
    let holder = body as Record<string | number, unknown>;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
    holder[field] = texts[text];
  }
  return answer;
}
