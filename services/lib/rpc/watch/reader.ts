/**
 * What one stream has still to be sent: the newest state alone, however slowly it is taken. It ends once, by itself or with
 * an error; what had not been taken then is dropped.
 */
export class Reader<State> {
  #newest: { readonly state: State } | undefined;
  #end: { readonly error?: unknown } | undefined;
  #wake = () => {};

  /** Replaces what has not been taken. */
  put(state: State): void {
    this.#newest = { state };
    this.#wake();
  }

  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  /** The newest state, 'silence' when none comes within `ms`, or undefined at the end. Throws what it ended with. */
  async take(ms: number): Promise<{ readonly state: State } | 'silence' | undefined> {
    if (!this.#newest && !this.#end) await this.#somethingWithin(ms);
    if (this.#end) {
      if (this.#end.error !== undefined) throw this.#end.error;
      return undefined;
    }
    const newest = this.#newest;
    this.#newest = undefined;
    return newest ?? 'silence';
  }

  async #somethingWithin(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
