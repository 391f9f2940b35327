import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTexts } from '../i18n/use-texts.ts';
import { errorText } from '../ui/feedback/error-text.ts';
import { showToast } from '../ui/feedback/toast.ts';

/** Changes something on the server and reads again what shows it; a failure is told. */
export function useChange<Input, Output>(change: (input: Input) => Promise<Output>, shown: QueryKey, done?: string) {
  const queries = useQueryClient();
  const t = useTexts('vault');
  return useMutation({
    mutationFn: change,
    onError: (error) => showToast({ kind: 'danger', text: errorText(t, error) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: shown });
      if (done !== undefined) showToast({ kind: 'plain', text: done });
    },
  });
}
