import { useCallback, useEffect, useRef, useState } from 'react';
import { isLoggedOut, sentenceOf } from '../calls.ts';
import { sessionIsOver, useSession } from '../session.ts';

/** How long a person is shown. */
export const SHOWN_MS = 120_000;

/** What somebody has asked for about a person, while it may be seen. */
export interface Briefly<Value> {
  readonly value: Value | undefined;
  readonly isAsking: boolean;
  /** Why it was not given, in the service's words. */
  readonly refusal: string | undefined;
  /** Asks, in place of what was asked before. */
  readonly show: (ask: (signal: AbortSignal) => Promise<Value>) => void;
  readonly hide: () => void;
}

const NOTHING = () => {};

interface State<Value> {
  readonly value?: Value;
  readonly isAsking?: boolean;
  readonly refusal?: string;
}

/**
 * Holds what is personal, and nothing else does: no cache, no address, no storage. It is let go two minutes after the answer, also
 * after a refusal, when the tab is hidden, when the login is over, when its part of the screen is left, and when somebody hides it. An answer that comes after that
 * is not taken.
 *
 * @param onHide lets go of what else is of that person, such as what they were searched by; the same function each time
 */
export function useBriefly<Value>(onHide: () => void = NOTHING): Briefly<Value> {
  const { isOver } = useSession();
  const [state, setState] = useState<State<Value>>({});
  const asked = useRef<AbortController>(undefined);
  const hide = useCallback(() => {
    asked.current?.abort();
    setState({});
    onHide();
  }, [onHide]);
  const show = useCallback((ask: (signal: AbortSignal) => Promise<Value>) => {
    asked.current?.abort();
    const own = new AbortController();
    asked.current = own;
    setState({ isAsking: true });
    ask(own.signal).then(
      (value) => {
        if (!own.signal.aborted) setState({ value });
      },
      (error: unknown) => {
        if (own.signal.aborted) return;
        if (isLoggedOut(error)) sessionIsOver();
        setState({ refusal: sentenceOf(error) });
      },
    );
  }, []);
  const { value, refusal } = state;
  useEffect(() => {
    // What was asked by is the person's, too, when nothing was given.
    if (value === undefined && refusal === undefined) return;
    const timer = setTimeout(hide, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [value, refusal, hide]);
  useEffect(() => {
    if (isOver) hide();
  }, [isOver, hide]);
  useEffect(() => {
    const onHidden = () => {
      if (document.hidden) hide();
    };
    document.addEventListener('visibilitychange', onHidden);
    window.addEventListener('pagehide', hide);
    return () => {
      document.removeEventListener('visibilitychange', onHidden);
      window.removeEventListener('pagehide', hide);
      asked.current?.abort();
    };
  }, [hide]);
  return { value, isAsking: state.isAsking ?? false, refusal, show, hide };
}
