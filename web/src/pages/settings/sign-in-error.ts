import { ApiError } from '@notevault/client/transport.ts';
import type { settings } from '../../i18n/en/settings.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { errorText } from '../../ui/feedback/error-text.ts';

const KEYS: Readonly<Record<string, keyof typeof settings.signInError>> = {
  // Of the browser.
  InvalidStateError: 'known',
  invalid_passkey: 'notAccepted',
  last_sign_in_method: 'lastMethod',
  passkey_copied: 'copied',
};

/** Returns a function that explains failed requests about ways to sign in, whose texts no other page loads. */
export function useSignInErrorText(): (error: unknown) => string {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  return (error) => {
    const code = error instanceof ApiError ? error.code : error instanceof Error ? error.name : '';
    const key = KEYS[code];
    return key === undefined ? errorText(tVault, error) : t(`signInError.${key}`);
  };
}
