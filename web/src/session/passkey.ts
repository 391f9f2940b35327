import type {
  NewPasskeyBody,
  PasskeyAssertion,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '@notevault/protocol/passkeys.ts';
import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';

/*
 * Loaded where a passkey is made or used: with its library it is too large for the first page. A newer request cancels
 * the one before, because browsers allow one at a time.
 */

/**
 * Asks for the use of a passkey; null if the person or a newer request cancelled it.
 *
 * @param isSuggested whether the browser suggests passkeys in a field, instead of asking at once.
 */
export function askForPasskey(options: PasskeyRequestOptions, isSuggested = false): Promise<PasskeyAssertion | null> {
  const optionsJSON = options as Parameters<typeof startAuthentication>[0]['optionsJSON'];
  return unlessCancelled(startAuthentication({ optionsJSON, useBrowserAutofill: isSuggested }));
}

/** Makes a passkey; null if the person cancelled it. */
export function createPasskey(options: PasskeyCreationOptions): Promise<NewPasskeyBody | null> {
  const optionsJSON = options as Parameters<typeof startRegistration>[0]['optionsJSON'];
  return unlessCancelled(startRegistration({ optionsJSON }));
}

/** Returns whether the browser can suggest passkeys in a field. */
export const canSuggest = browserSupportsWebAuthnAutofill;

export function cancelRequest(): void {
  WebAuthnAbortService.cancelCeremony();
}

/** Browsers do not tell a cancelled request from one that took too long or found no passkey. */
const CANCELLED = ['AbortError', 'NotAllowedError'];

function unlessCancelled<Result>(request: Promise<Result>): Promise<Result | null> {
  return request.catch((error: unknown) => {
    if (error instanceof Error && CANCELLED.includes(error.name)) return null;
    throw error;
  });
}
