import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from './api.ts';

/** How long a watch may last before the server ends it, in seconds; the next goes on where it ended. */
const WATCH_SECONDS = 300;
const RETRY_MS = 500;
const GONE = 410;

export interface ApiObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

/** All objects of one kind, kept up to date. */
export interface Watched<T> {
  get(namespace: string, name: string): T | undefined;
  list(): T[];
  /** Resolves once the first list is there. */
  readonly listed: Promise<void>;
}

interface Options<T> {
  readonly api: Api;
  /** Of the collection, as in /api/v1/pods. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Called for every object that is new or changed, and with `gone` for what is no more. Must not throw. */
  changed(object: T, gone: boolean): void;
  log(line: string): void;
}

/**
 * Lists a collection, then watches it from there on, and lists it again where the server has forgotten that point. What
 * vanished meanwhile is reported as gone. An object that was replaced by another of its name is reported gone first.
 */
export function watch<T extends ApiObject>(options: Options<T>): Watched<T> {
  const { api, path, signal } = options;
  const objects = new Map<string, T>();
  let becomeListed: () => void = () => undefined;
  const listed = new Promise<void>((resolve) => {
    becomeListed = resolve;
  });

  function put(object: T): void {
    const old = objects.get(keyOf(object));
    if (old && old.metadata?.uid !== object.metadata?.uid) remove(old);
    else if (old?.metadata?.resourceVersion === object.metadata?.resourceVersion && old) return;
    objects.set(keyOf(object), object);
    options.changed(object, false);
  }

  function remove(object: T): void {
    if (objects.delete(keyOf(object))) options.changed(object, true);
  }

  async function list(): Promise<string> {
    const answer = await api.get<{ items: T[]; metadata: { resourceVersion: string } }>(path);
    const present = new Set(answer.items.map(keyOf));
    for (const [key, object] of objects) if (!present.has(key)) remove(object);
    for (const object of answer.items) put(object);
    becomeListed();
    return answer.metadata.resourceVersion;
  }

  /** Resolves with the version from which to go on; undefined where only a new list helps. */
  async function follow(from: string): Promise<string | undefined> {
    let version = from;
    const query = `?watch=1&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${from}`;
    for await (const line of api.lines(`${path}${query}`, signal)) {
      if (line === '') continue;
      const event = JSON.parse(line) as { type: string; object: T & { code?: number; message?: string } };
      if (event.type === 'ERROR') {
        if (event.object.code !== GONE) options.log(`watch of ${path}: ${event.object.message}`);
        return undefined;
      }
      version = event.object.metadata?.resourceVersion ?? version;
      if (event.type === 'DELETED') remove(event.object);
      else if (event.type !== 'BOOKMARK') put(event.object);
    }
    return version;
  }

  async function run(): Promise<void> {
    let version: string | undefined;
    while (!signal.aborted) {
      try {
        version = await follow(version ?? (await list()));
      } catch (error) {
        if (signal.aborted) return;
        options.log(`watch of ${path}: ${error instanceof Error ? error.message : String(error)}`);
        version = undefined;
        await pause(RETRY_MS);
      }
    }
  }

  void run();
  return {
    get: (namespace, name) => objects.get(`${namespace}/${name}`),
    list: () => [...objects.values()],
    listed,
  };
}

const keyOf = (object: ApiObject) => `${object.metadata?.namespace ?? ''}/${object.metadata?.name}`;
