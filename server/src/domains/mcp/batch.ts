/** Requests of an array that are sent at once, and the ids that their client gave them. */
export interface Renumbered {
  readonly body: readonly unknown[];
  /** Gives an answer the ids of its requests again. */
  readonly restored: (answer: Response) => Promise<Response>;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
}

/**
 * Gives the requests of a batch ids of their own; null for a body in which no two requests have the same one. The
 * library tells requests apart by their ids, and would answer only the first of two that share one.
 */
export function renumbered(body: unknown): Renumbered | null {
  if (!Array.isArray(body)) return null;
  const requests = body.filter(isRequest);
  if (new Set(requests.map(({ id }) => id)).size === requests.length) return null;
  const ids = new Map<unknown, unknown>();
  const renamed = body.map((message: unknown, index) => {
    if (!isRequest(message)) return message;
    const id = `${index} ${message.id}`;
    ids.set(id, message.id);
    return { ...message, id };
  });
  const restore = (answer: Message) => (ids.has(answer.id) ? { ...answer, id: ids.get(answer.id) } : answer);
  return {
    body: renamed,
    async restored(answer) {
      const answers = (await answer.json()) as Message | Message[];
      const { status, headers } = answer;
      return Response.json(Array.isArray(answers) ? answers.map(restore) : restore(answers), { status, headers });
    },
  };
}

/** Only a text or a number is an id; the library refuses the others. */
function isRequest(message: unknown): message is Message {
  const { id, method } = (message ?? {}) as Message;
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
}
