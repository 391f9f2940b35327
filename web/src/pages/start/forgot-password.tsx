import { useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { anonymous } from './start-api.ts';
import { StartCard, StartForm } from './start-card.tsx';
import { StartError } from './start-error.tsx';

/** Asks for a link to a new password; the answer does not tell whether there is an account. */
export function ForgotPassword({ back }: { readonly back: () => void }) {
  const t = useTexts('start');
  const attempt = useAttempt();
  const [isSent, setSent] = useState(false);
  return (
    <StartCard
      title={t('forgotTitle')}
      text={t('forgotText')}
      foot={
        <p>
          <Button look="quiet" onClick={back}>
            {t('backToSignIn')}
          </Button>
        </p>
      }
    >
      {isSent ? (
        <Notice kind="ok">{t('forgotSent')}</Notice>
      ) : (
        <StartForm
          submit={(form) =>
            attempt.run(async () => {
              await anonymous.forgotPassword(String(form.get('email')));
              setSent(true);
            })
          }
        >
          <Field label={t('email')} name="email" type="email" autoComplete="username" required autoFocus />
          <StartError error={attempt.error} />
          <Button type="submit" look="primary" aria-disabled={attempt.isRunning}>
            {t('forgotSend')}
          </Button>
        </StartForm>
      )}
    </StartCard>
  );
}
