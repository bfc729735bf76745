import { useCallback, useEffect, useRef, useState } from 'react';
import { leftToShow } from '../activity.ts';
import { errorMessage, isLoggedOut } from '../calls.ts';
import { sessionIsOver, useSession } from '../session.ts';

/** Personal details that a person requested, while they may be shown. */
export interface Reveal<Value> {
  readonly value: Value | undefined;
  readonly isAsking: boolean;
  /** The service's message when it refuses. */
  readonly refusal: string | undefined;
  /** Requests a value, replacing the previous request. */
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
 * Holds personal details, which are stored nowhere else: not in a cache, a URL or browser storage. They are discarded
 * two minutes after the last input and at the latest ten minutes after the response, even a refusal. Also when the tab
 * is hidden, the login ends, that part of the screen is closed, or the person hides them. A response that arrives later
 * is ignored.
 *
 * @param onHide discards related data, such as the search terms; must be the same function on each render
 */
export function useReveal<Value>(onHide: () => void = NOTHING): Reveal<Value> {
  const { isOver } = useSession();
  const [state, setState] = useState<State<Value>>({});
  const controller = useRef<AbortController>(undefined);
  const hide = useCallback(() => {
    controller.current?.abort();
    setState({});
    onHide();
  }, [onHide]);
  const show = useCallback((ask: (signal: AbortSignal) => Promise<Value>) => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    setState({ isAsking: true });
    ask(own.signal).then(
      (value) => {
        if (!own.signal.aborted) setState({ value });
      },
      (error: unknown) => {
        if (own.signal.aborted) return;
        if (isLoggedOut(error)) sessionIsOver();
        setState({ refusal: errorMessage(error) });
      },
    );
  }, []);
  const { value, refusal } = state;
  useEffect(() => {
    // The search terms are personal data, too, even when the call was refused.
    if (value === undefined && refusal === undefined) return;
    const shownAt = Date.now();
    let timer = setTimeout(hideInTime, leftToShow(shownAt));
    function hideInTime() {
      const left = leftToShow(shownAt);
      if (left <= 0) hide();
      else timer = setTimeout(hideInTime, left);
    }
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
      controller.current?.abort();
    };
  }, [hide]);
  return { value, isAsking: state.isAsking ?? false, refusal, show, hide };
}
