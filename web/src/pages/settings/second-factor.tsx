import type { SignInSettings, TotpStarted } from '@notevault/protocol/accounts.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { QrCode } from '../../ui/controls/qr-code.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Time } from '../../ui/text/time.tsx';
import styles from './settings.module.css';
import { account } from './settings-api.ts';

/** Sets up an authenticator app, shows its recovery codes once, and removes it. */
export function SecondFactor() {
  const t = useTexts('settings');
  const { data } = useQuery({ queryKey: keys.signIn, queryFn: account.signIn });
  const [started, setStarted] = useState<TotpStarted | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const starting = useChange(account.startTotp, keys.signIn);
  return (
    <section className={styles.section} aria-labelledby="second-factor">
      <h2 id="second-factor">{t('secondFactor.title')}</h2>
      <p>{t('secondFactor.about')}</p>
      {codes === null ? null : <RecoveryCodes codes={codes} close={() => setCodes(null)} />}
      {started === null ? null : (
        <Confirm
          started={started}
          done={(made) => {
            setStarted(null);
            setCodes(made);
          }}
        />
      )}
      {data?.totp == null ? null : <Present totp={data.totp} />}
      {data === undefined || data.totp !== null || started !== null ? null : (
        <div>
          <Button
            aria-disabled={starting.isPending}
            onClick={() => starting.mutate(undefined, { onSuccess: setStarted })}
          >
            {t('secondFactor.setUp')}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The QR code for the app, and a field for its first code. */
function Confirm({ started, done }: { readonly started: TotpStarted; readonly done: (codes: string[]) => void }) {
  const t = useTexts('settings');
  const confirming = useChange(account.confirmTotp, keys.signIn);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        const code = String(new FormData(event.currentTarget).get('code'));
        confirming.mutate(code, { onSuccess: ({ recovery_codes }) => done(recovery_codes) });
      }}
    >
      <p>{t('secondFactor.scan')}</p>
      <QrCode text={started.uri} label={t('secondFactor.qr')} />
      <div className={styles.secret}>
        <code data-testid="totp-secret">{started.secret}</code>
        <CopyButton text={started.secret} />
      </div>
      <Field
        label={t('secondFactor.code')}
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        autoFocus
      />
      <Button type="submit" look="primary" aria-disabled={confirming.isPending}>
        {t('secondFactor.confirm')}
      </Button>
    </form>
  );
}

function RecoveryCodes({ codes, close }: { readonly codes: readonly string[]; readonly close: () => void }) {
  const t = useTexts('settings');
  const text = `${codes.join('\n')}\n`;
  return (
    <Notice kind="ok">
      <p>{t('secondFactor.codes')}</p>
      <pre className={styles.codes} data-testid="recovery-codes">
        {text}
      </pre>
      <div className={styles.buttons}>
        <CopyButton text={text} />
        <Button onClick={() => saveFile('notevault-recovery-codes.txt', new Blob([text], { type: 'text/plain' }))}>
          {t('secondFactor.save')}
        </Button>
        <Button onClick={() => print()}>{t('secondFactor.print')}</Button>
        <Button look="quiet" onClick={close}>
          {t('secondFactor.kept')}
        </Button>
      </div>
    </Notice>
  );
}

function Present({ totp }: { readonly totp: NonNullable<SignInSettings['totp']> }) {
  const t = useTexts('settings');
  const confirm = useConfirm();
  const removing = useChange(account.removeTotp, keys.signIn, t('secondFactor.removed'));
  const ask = () =>
    confirm.ask({
      title: t('secondFactor.removeTitle'),
      text: t('secondFactor.removeText'),
      yes: t('secondFactor.remove'),
      run: () => removing.mutate(undefined),
    });
  return (
    <>
      <p>
        {t('secondFactor.left', { count: totp.recovery_codes_left })} · <Time at={totp.confirmed_at} />
      </p>
      <div>
        <Button look="danger" aria-disabled={removing.isPending} onClick={ask}>
          {t('secondFactor.remove')}
        </Button>
      </div>
      {confirm.dialog}
    </>
  );
}
