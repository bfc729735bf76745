/** A part of the console that can't be loaded. */
export class MissingCode extends Error {}

/** The message of the last failure that reloaded the page. */
const RELOADED = 'reloaded-after';

/**
 * Loads a part of the console. After a release, the files of the previous one are gone: then the page is reloaded, once
 * for each file, if the console responds.
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load();
  } catch (cause) {
    const failure = String(cause);
    if (sessionStorage.getItem(RELOADED) === failure || !(await isReachable()))
      throw new MissingCode(failure, { cause });
    sessionStorage.setItem(RELOADED, failure);
    window.location.reload();
    return new Promise(() => {});
  }
}

/** Resolves to whether the console serves its page. */
export const isReachable = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD' }).then(
    ({ ok }) => ok,
    () => false,
  );
