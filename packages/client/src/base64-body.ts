/** Base64 of three bytes ends without padding; so much at once is no burden for the memory. */
const SLICE_BYTES = 3 * 256 * 1024;
/** The most arguments that every browser takes. */
const ARGUMENTS = 32 * 1024;

/** A JSON body of some fields and of bytes as base64, which is made slice by slice. */
export async function base64Body(fields: Readonly<Record<string, unknown>>, bytes: Blob): Promise<Blob> {
  const parts: string[] = [`${JSON.stringify(fields).slice(0, -1)},"content_base64":"`];
  for (let at = 0; at < bytes.size; at += SLICE_BYTES) {
    parts.push(base64Of(new Uint8Array(await bytes.slice(at, at + SLICE_BYTES).arrayBuffer())));
  }
  return new Blob([...parts, '"}'], { type: 'application/json' });
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(at, at + ARGUMENTS));
  }
  return btoa(text);
}
