/** The heading or block that the hash of an address names. A `%` that encodes nothing stays one. */
export function anchorOf(hash: string): string {
  return hash.replace(/^#/, '').replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
