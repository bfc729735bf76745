/** Bounds on the streams of queues and timelines. */
export interface WatchBounds {
  readonly streams: number;
  /** Maximum number of one caller's streams, so that no caller takes all of them. */
  readonly ofCaller: number;
  /** Maximum duration of a stream, in milliseconds. */
  readonly longestMs: number;
  /** Time without a change after which the state is sent again, in milliseconds. */
  readonly silenceMs: number;
}

/** Proxies cut a connection that is idle for a minute. */
export const WATCH_BOUNDS: WatchBounds = {
  streams: 200,
  ofCaller: 20,
  longestMs: 540_000,
  silenceMs: 25_000,
};
