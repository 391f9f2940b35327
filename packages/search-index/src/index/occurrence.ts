/*
 * An occurrence is one number that says at which position of a note a word stands, counted in words, and in which field.
 */

export const BODY = 0;
/** A tag or the name of a folder. */
export const LABEL = 1;
export const HEADING = 2;
/** Title, aliases and file name. */
export const TITLE = 3;

export const occurrenceAt = (position: number, field: number) => position * 4 + field;
export const fieldOf = (occurrence: number) => occurrence & 3;
/** Occurrences may exceed 32 bits, so this is no shift. */
export const positionOf = (occurrence: number) => Math.floor(occurrence / 4);
