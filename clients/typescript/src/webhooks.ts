/** Whether a webhook was sent by the site: signatures of Standard Webhooks. */

import type { webhooks } from "./schema.js";

type Post<One> = One extends { post: { requestBody: { content: { "application/json": infer Body } } } } ? Body : never;
/** What a webhook says: the event of each kind. */
export type WebhookBody = Extract<Post<webhooks[keyof webhooks]>, { type: string; timestamp: string }>;

/** A request that the site did not send, or that is too old; answer it with 401. */
export class InvalidWebhook extends Error {
  override readonly name = "InvalidWebhook";
}

type Given = Headers | Record<string, string | string[] | undefined>;

/**
 * Returns what a webhook says; throws InvalidWebhook if it is not signed with the secret, or too old.
 *
 * `body` is the body as it was received, byte for byte. The same event may come twice: compare `webhook-id`.
 */
export async function verifyWebhook(
  secret: string,
  headers: Given,
  body: string | Uint8Array,
  { now = Date.now() / 1000, tolerance = 300 }: { now?: number; tolerance?: number } = {},
): Promise<WebhookBody> {
  const key = readSecret(secret);
  const [id, at, signatures] = ["id", "timestamp", "signature"].map((part) => readHeader(headers, `webhook-${part}`));
  if (!id || !at || !signatures || !/^\d+$/.test(at))
    throw new InvalidWebhook("The headers of a webhook are missing or malformed.");
  if (Math.abs(now - Number(at)) > tolerance) throw new InvalidWebhook("The webhook is too old, or a clock is wrong.");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const signed = new TextEncoder().encode(`${id}.${at}.${text}`);
  const imported = await crypto.subtle.importKey("raw", key, hmac, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const bytes = signature.startsWith("v1,") ? readBase64(signature.slice(3)) : undefined;
    if (bytes && (await crypto.subtle.verify("HMAC", imported, bytes, signed))) return JSON.parse(text) as WebhookBody;
  }
  throw new InvalidWebhook("The signature is not that of the secret and the body.");
}

function readHeader(headers: Given, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

/** Returns the key within a secret; throws an error that does not show it if it is none. */
function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  const key = readBase64(secret.replace(/^whsec_/, ""));
  if (!key?.length)
    throw new TypeError("A webhook's secret is like whsec_…, as it was shown when the webhook was made.");
  return key;
}

function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
