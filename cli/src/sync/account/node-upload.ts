/** Returns a streaming request body for Node's `fetch`. */
export function nodeUpload(bytes: AsyncIterable<Uint8Array>) {
  return { body: ReadableStream.from(bytes) as ReadableStream<Uint8Array>, duplex: 'half' } as const;
}
