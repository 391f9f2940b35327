import { useTexts } from '../i18n/use-texts.ts';
import { Notice } from '../ui/feedback/notice.tsx';
import { Page } from './page.tsx';

/** Shown instead of a page that viewers of a vault do not have. */
export function ForEditors({ title }: { readonly title: string }) {
  const t = useTexts('vault');
  return (
    <Page title={title}>
      <Notice kind="plain">{t('shared.forEditors')}</Notice>
    </Page>
  );
}
