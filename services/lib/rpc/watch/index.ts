export { type Reading, WATCH_BOUNDS, Watch, type WatchBounds, type Watched } from './watch.ts';
