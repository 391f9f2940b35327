/** The body of a request whose bytes are read while they are sent, as the `fetch` of Node takes it. */
export function nodeUpload(bytes: AsyncIterable<Uint8Array>) {
  return { body: ReadableStream.from(bytes) as ReadableStream<Uint8Array>, duplex: 'half' } as const;
}
