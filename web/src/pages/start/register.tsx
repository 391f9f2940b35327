import { ApiError } from '@notevault/client/transport.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { session } from '../../session/app-session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { NameField } from './name-field.tsx';
import { OwnDevice, takeOwnDevice } from './own-device.tsx';
import { PasswordField } from './password-field.tsx';
import { StartCard, StartForm, type Welcome } from './start-card.tsx';
import { StartError } from './start-error.tsx';

interface RegisterProps {
  /** `first`: the server has no account yet; `invited`: a code is needed; `open`: anybody may. */
  readonly kind: 'first' | 'invited' | 'open';
  /** The code in the address, or empty; sent as it is where none is asked for. */
  readonly invite: string;
  /** The setup token in the address; null without one. Only for `first`, as `whenRefused`. */
  readonly setupToken?: string | null;
  /** Called when the server refuses the setup token, before the error is shown. */
  readonly whenRefused?: () => Promise<void>;
  /** Goes back to signing in; null where there is no account to sign in to. */
  readonly back: (() => void) | null;
  /** Texts about the invitation. */
  readonly welcome?: Welcome;
}

const HEADINGS = { first: 'firstTitle', invited: 'joinTitle', open: 'registerTitle' } as const;

export function Register({ kind, invite, setupToken = null, whenRefused, back, welcome }: RegisterProps) {
  const t = useTexts('start');
  const attempt = useAttempt();
  const text = { first: t('firstText'), invited: t('joinText'), open: undefined }[kind];
  return (
    <StartCard
      title={t(HEADINGS[kind])}
      {...(text === undefined ? {} : { text })}
      {...welcome}
      foot={
        back === null ? (
          <p>{t('restoreHint')}</p>
        ) : (
          <p>
            {t('haveAccount')}{' '}
            <Button look="quiet" onClick={back}>
              {t('signIn')}
            </Button>
          </p>
        )
      }
    >
      <StartForm
        submit={(form) =>
          attempt.run(async () => {
            const device = takeOwnDevice(form);
            const known = {
              ...(kind === 'open' && invite !== '' ? { invite } : {}),
              ...(setupToken === null ? {} : { setup_token: setupToken }),
            };
            try {
              await session.enter('/auth/register', { ...known, ...accountOf(form), ...device });
            } catch (error) {
              if (isSetupRefusal(error)) await whenRefused?.();
              throw error;
            }
          })
        }
      >
        {kind === 'first' && (setupToken === null || isSetupRefusal(attempt.error)) ? (
          <Field label={t('setupToken')} name="setup_token" hint={t('setupTokenHint')} autoComplete="off" required />
        ) : null}
        {kind === 'invited' ? (
          <Field
            label={t('invite')}
            name="invite"
            hint={t('inviteHint')}
            defaultValue={invite}
            autoComplete="off"
            required
          />
        ) : null}
        <NameField />
        <Field label={t('email')} name="email" type="email" autoComplete="username" required />
        <PasswordField label={t('password')} name="password" isNew />
        <OwnDevice />
        <StartError error={attempt.error} />
        <Button type="submit" look="primary" aria-disabled={attempt.isRunning}>
          {t(attempt.isRunning ? 'creatingAccount' : 'createAccount')}
        </Button>
      </StartForm>
    </StartCard>
  );
}

/** Whether the server refused because of the setup token. */
function isSetupRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code.startsWith('setup_token');
}

/** The fields that were filled in, under the names that the server knows. */
function accountOf(form: FormData): Record<string, string> {
  const filled = [...form].map(([name, value]) => [name, name === 'password' ? String(value) : String(value).trim()]);
  return Object.fromEntries(filled.filter(([, value]) => value !== ''));
}
