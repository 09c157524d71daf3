export { type Ambiguity, RungsError, type Schemas, replaceNames } from "./errors.js";
export type { Retries } from "./requests.js";
export { type Game, type Options, type Query, Rungs, Unanswered } from "./rungs.js";
export type { components, paths, webhooks } from "./schema.js";
export { InvalidWebhook, type WebhookBody, verifyWebhook } from "./webhooks.js";
