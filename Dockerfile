# An image of the program alone: it, its libraries, the certificates of public CAs.
#
#   docker build -t tpu-webhook .
#
# scripts/image builds the same where there is no daemon and no registry, with the labels of the
# commit and a list of what is in it.
ARG BASE=docker.io/library/debian:12-slim

FROM ${BASE} AS build
WORKDIR /src
# First what seldom changes, so that a second build begins behind it.
COPY scripts/install-packages scripts/
RUN apt-get update -qq && apt-get upgrade -y -qq && scripts/install-packages --build-only
COPY . .
RUN cmake --preset release && cmake --build --preset release --target tpu-webhook
ARG VERSION= REVISION=unknown SOURCE_DATE_EPOCH=0
RUN scripts/image-root build/release/server/tpu-webhook /image
# Beside the image, for whoever mounts a folder there (scripts/image does).
RUN if [ -d /out ]; then cp /image/sbom.spdx.json /out/; fi

FROM scratch
COPY --from=build /image/root/ /
USER 65532:65532
# Webhook, and probes and metrics.
EXPOSE 8443 8081
ENTRYPOINT ["/usr/bin/tpu-webhook"]
CMD ["serve"]
ARG VERSION=unknown REVISION=unknown
LABEL org.opencontainers.image.title="tpu-webhook" \
      org.opencontainers.image.description="Admission webhook for TPU workloads on Kubernetes" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
