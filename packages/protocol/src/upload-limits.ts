import { GB, KB, MB } from './values/byte-units.ts';

// Apart from the schemas, so that a plugin need not load those for a limit.

/** The version of the protocol for uploads in slices (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0';
/** Maximum size of a slice with a checksum, in bytes: none of it counts as received before the checksum is known. */
export const CHECKED_SLICE_MAX = 16 * MB;
/** Fewest bytes of a slice that is not the last one. */
export const SLICE_MIN = 256 * KB;
/** The parts in which the server stores what arrives. */
export const PART_BYTES = 8 * MB;
/** Maximum number of announced bytes per account if its plan has no cap. */
export const ANNOUNCED_MAX = 10 * GB;
/** Maximum number of open uploads per account. */
export const OPEN_UPLOADS_MAX = 16;
