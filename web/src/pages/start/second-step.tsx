import { useTexts } from '../../i18n/use-texts.ts';
import { session } from '../../session/app-session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { StartCard, StartForm } from './start-card.tsx';
import { StartError } from './start-error.tsx';

interface SecondStepProps {
  /** Proves that the password was right. */
  readonly ticket: string;
  readonly back: () => void;
}

/** Asks for the code that a sign-in needs beside the password. */
export function SecondStep({ ticket, back }: SecondStepProps) {
  const t = useTexts('start');
  const attempt = useAttempt();
  return (
    <StartCard
      title={t('codeTitle')}
      foot={
        <p>
          <Button look="quiet" onClick={back}>
            {t('backToSignIn')}
          </Button>
        </p>
      }
    >
      <StartForm
        submit={(form) =>
          attempt.run(() => session.enter('/auth/second-factor', { ticket, code: String(form.get('code')) }))
        }
      >
        <Field label={t('code')} hint={t('codeHint')} name="code" autoComplete="one-time-code" required autoFocus />
        <StartError error={attempt.error} />
        <Button type="submit" look="primary" aria-disabled={attempt.isRunning}>
          {t(attempt.isRunning ? 'signingIn' : 'signIn')}
        </Button>
      </StartForm>
    </StartCard>
  );
}

/** Returns the ticket of a sign-in that needs a code too; null for any other failure. */
export function ticketOf(error: unknown): string | null {
  const { code, body } = (error ?? {}) as { readonly code?: unknown; readonly body?: { readonly ticket?: unknown } };
  return code === 'second_factor_required' && typeof body?.ticket === 'string' ? body.ticket : null;
}
