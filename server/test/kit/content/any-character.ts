import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/**
 * Any character, as the unit `binary` of fast-check's strings, which first puts all of them into a map: two seconds of
 * processor time.
 */
export const anyCharacter = fc.nat(0x10ffff - SURROGATES).map(
  (at) => String.fromCodePoint(at < SURROGATES_FROM ? at : at + SURROGATES),
  (character) => {
    const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
    if (code === -1 || String.fromCodePoint(code) !== character || !character.isWellFormed())
      throw new Error('not one character');
    return code < SURROGATES_FROM ? code : code - SURROGATES;
  },
);
