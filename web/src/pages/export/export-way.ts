/** More than this is left to the browser, which writes it to the disk as it arrives. */
const HELD_MAX = 500_000_000;

/**
 * How a vault is downloaded. A small one is fetched by the page, which can then show how far it is and stop; the zip of
 * a large one would have to be held until it is complete.
 *
 * @param attachmentBytes of the vault. Texts are small beside them.
 */
export function exportWay(attachmentBytes: number): 'page' | 'browser' {
  return attachmentBytes <= HELD_MAX ? 'page' : 'browser';
}

/** The name of the file: that of the vault and the day, without what file systems refuse. */
export function exportName(vault: string, day: string): string {
  const clean = vault
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  return `${clean || 'vault'} ${day}.zip`;
}
