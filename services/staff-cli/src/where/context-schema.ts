import { z } from 'zod';
import { KUBE_NAME, KUBE_RELEASE } from './kube/place.ts';

/** Stands in an address or a name for that of each service. */
export const SERVICE = '{service}';

const url = z.url({ protocol: /^https?$/ });
/** One address for all services, or for each with its name in it. */
const urls = z.string().refine((text) => url.safeParse(text.replaceAll(SERVICE, 'account')).success, {
  message: `Invalid URL: such as https://${SERVICE}.example:8443`,
});
const file = z.string().min(1);

/** How TLS is spoken: PEM files of which authority is believed and of what is presented, and the name of the server. */
const tls = {
  serverName: z.string().min(1).optional(),
  authority: file.optional(),
  certificate: file.optional(),
  key: file.optional(),
};

/** How to log in by OAuth's device flow. */
export const loginSchema = z.strictObject({
  /** Where the issuer's metadata are found. */
  issuer: url,
  clientId: z.string().min(1),
  scope: z.string().min(1).optional(),
  /** For whom tokens are meant, where the issuer wants to be told. */
  audience: z.string().min(1).optional(),
});
export type Login = z.infer<typeof loginSchema>;

/** Where one service answers, and what is different about it. */
const ofService = z.strictObject({ url: url.optional(), ...tls });
export type ServiceEntry = z.infer<typeof ofService>;
const service = z.union([url.transform((address): ServiceEntry => ({ url: address })), ofService]).optional();

export const contextSchema = z.strictObject({
  /** Where services answer gRPC: all of them, and what one of them does differently. */
  url: urls.optional(),
  services: z
    .strictObject({
      account: service,
      submission: service,
      document: service,
      billing: service,
      webhook: service,
    })
    .default({}),
  ...tls,
  /** Services of a cluster, which kubectl forwards to. */
  kube: z
    .strictObject({
      context: z.string().min(1),
      namespace: z.string().regex(KUBE_NAME),
      release: z.string().regex(KUBE_RELEASE),
    })
    .optional(),
  login: loginSchema.optional(),
});
export type ContextEntry = z.infer<typeof contextSchema>;
export const CONTEXT_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
