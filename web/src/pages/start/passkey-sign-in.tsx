import type { PasskeyAssertion } from '@notevault/protocol/passkeys.ts';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { session } from '../../session/app-session.ts';
import { askForPasskey, cancelRequest, canSuggest } from '../../session/passkey.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { takeOwnDevice } from './own-device.tsx';
import { anonymous } from './start-api.ts';
import { StartError } from './start-error.tsx';

/** Before the server’s challenge expires. */
const RENEW_MS = 8 * 60 * 1000;

/**
 * The button of the sign-in form for passkeys, which the browser also suggests in its field for the e-mail.
 *
 * @param props.isMain whether the form has no such field.
 */
export function PasskeySignIn({ isMain }: { readonly isMain: boolean }) {
  const t = useTexts('start');
  const attempt = useAttempt();
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(0);
  const [round, setRound] = useState(0);
  const again = () => setRound((count) => count + 1);
  const ask = async (isSuggested: boolean) => {
    const turn = ++latest.current;
    if (isSuggested && !(await canSuggest())) return null;
    const options = await anonymous.passkeyOptions();
    // A browser would cancel the request of a later turn for this one.
    return turn === latest.current ? askForPasskey(options, isSuggested) : null;
  };
  const enter = async (used: PasskeyAssertion | null) => {
    if (used === null) return;
    const device = takeOwnDevice(new FormData(button.current?.form ?? undefined));
    await session.enter('/auth/passkeys/login/verify', { ...used, ...device });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: suggestions begin again with each round
  useEffect(() => {
    if (isMain) return;
    const timer = setTimeout(again, RENEW_MS);
    const suggest = async () => {
      // Nobody asked for a suggestion, so nothing is said about one that fails.
      const used = await ask(true).catch(() => null);
      if (used !== null) attempt.run(() => enter(used).finally(again));
    };
    void suggest();
    return () => {
      clearTimeout(timer);
      latest.current += 1;
      cancelRequest();
    };
  }, [round]);
  return (
    <>
      <StartError error={attempt.error} />
      <Button
        ref={button}
        look={isMain ? 'primary' : 'plain'}
        onClick={() => attempt.run(() => ask(false).then(enter).finally(again))}
        aria-disabled={attempt.isRunning}
      >
        {t('usePasskey')}
      </Button>
    </>
  );
}
