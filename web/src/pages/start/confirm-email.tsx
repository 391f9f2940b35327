import { useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { anonymous } from './start-api.ts';
import { StartCard, StartForm } from './start-card.tsx';
import { StartError } from './start-error.tsx';

/** Confirms an address with the token of a link, at a click: programs that open the links of mails click on nothing. */
export function ConfirmEmail({ token, done }: { readonly token: string; readonly done: () => void }) {
  const t = useTexts('start');
  const attempt = useAttempt();
  const [isConfirmed, setConfirmed] = useState(false);
  const confirm = async () => {
    await anonymous.confirmEmail(token);
    setConfirmed(true);
  };
  return (
    <StartCard
      title={t('confirmTitle')}
      text={t('confirmText')}
      foot={
        <p>
          <Button look="quiet" onClick={done}>
            {t('toStart')}
          </Button>
        </p>
      }
    >
      {isConfirmed ? (
        <Notice kind="ok">{t('confirmDone')}</Notice>
      ) : (
        <StartForm submit={() => attempt.run(confirm)}>
          <StartError error={attempt.error} />
          <Button type="submit" look="primary" aria-disabled={attempt.isRunning} autoFocus>
            {t('confirm')}
          </Button>
        </StartForm>
      )}
    </StartCard>
  );
}
