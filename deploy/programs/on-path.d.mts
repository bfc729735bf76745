export declare const GO_FOLDER: string;
export declare function findOnPath(
  name: string,
  further?: readonly string[],
  path?: string,
): string | undefined;
export declare function findGo(): string | undefined;
