const orders = new Map<string, (a: string, b: string) => number>();

/** Returns the order of names for people, in a language of theirs; numbers in them count as numbers. */
export function nameOrder(language: string): (a: string, b: string) => number {
  const order = orders.get(language) ?? new Intl.Collator(language, { numeric: true, sensitivity: 'base' }).compare;
  orders.set(language, order);
  return order;
}

/**
 * Returns the order of names for programs, which is the same everywhere: by code points. Plain string comparison orders
 * by UTF-16 units, which puts emoji before some letters.
 */
export function compareCodePoints(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  if (at >= one.length || at >= other.length) return one.length - other.length;
  return rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
