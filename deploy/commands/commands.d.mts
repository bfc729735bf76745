/** Every package script by name, as far as tests read it. */
export declare const commands: Readonly<Record<string, { readonly help: string }>>;
