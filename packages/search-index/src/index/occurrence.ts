/* An occurrence is one number that holds the position of a word in a note, counted in words, and its field. */

export const BODY = 0;
/** A tag or the name of a folder. */
export const LABEL = 1;
export const HEADING = 2;
/** Title, aliases and file name. */
export const TITLE = 3;

export const occurrenceAt = (position: number, field: number) => position * 4 + field;
export const fieldOf = (occurrence: number) => occurrence & 3;
/** Divides instead of shifting, because an occurrence may exceed 32 bits. */
export const positionOf = (occurrence: number) => Math.floor(occurrence / 4);
