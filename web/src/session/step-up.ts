import type { Http } from '@notevault/client/transport.ts';
import { type Observable, ObservableValue } from '../platform/observable.ts';

/** A proof of identity for which a request waits. */
export interface ProofQuestion {
  /** The proofs that the account has. */
  readonly methods: readonly string[];
  /** Sends the waiting requests again, or lets them fail. */
  readonly answer: (isProved: boolean) => void;
}

/** Asks for the proof of identity that the server wants, and then resumes what it interrupted. */
export class StepUp {
  readonly #question = new ObservableValue<ProofQuestion | null>(null);
  /** The open question, which the app shows. */
  readonly question: Observable<ProofQuestion | null> = this.#question;
  #asking: Promise<boolean> | null = null;

  /** Returns a `fetch` that asks once for all requests that wait. */
  over(fetch: Http): Http {
    return async (url, request) => {
      const answer = await fetch(url, request);
      if (answer.status !== 403) return answer;
      const body: unknown = await answer
        .clone()
        .json()
        .catch(() => null);
      const methods = methodsOf(body);
      if (methods === null) return answer;
      this.#asking ??= this.#ask(methods);
      return (await this.#asking) ? fetch(url, request) : answer;
    };
  }

  #ask(methods: readonly string[]): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (isProved: boolean) => {
        this.#asking = null;
        this.#question.set(null);
        resolve(isProved);
      };
      this.#question.set({ methods, answer });
    });
  }
}

/** The methods of an answer that wants a proof; null for any other. */
function methodsOf(body: unknown): readonly string[] | null {
  const { error, methods } = (body ?? {}) as { readonly error?: unknown; readonly methods?: unknown };
  return error === 'step_up_required' && Array.isArray(methods) ? methods.map(String) : null;
}
