import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Returns a mutation that can be stopped, and stops when the screen is closed. Stopping it is not an error. */
export function useStoppable<Variables = void>(
  run: (signal: AbortSignal, variables: Variables) => Promise<unknown>,
) {
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (variables: Variables) => {
      const control = new AbortController();
      running.current = control;
      try {
        await run(control.signal, variables);
      } catch (failure) {
        if (!control.signal.aborted) throw failure;
      }
    },
  });
  return { run: mutate, isRunning: isPending, error, stop: () => running.current?.abort() };
}
