// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A smart account like Safe: it approves its owner's signature (ERC-1271).
contract OwnedAccount {
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view virtual returns (bytes4) {
        return _recover(hash, signature) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function setOwner(address owner_) external {
        owner = owner_;
    }

    function _recover(bytes32 hash, bytes calldata signature) internal pure returns (address) {
        if (signature.length != 65) return address(1);
        return ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    }
}

/// @notice Deploys an owner's account at a predictable address (ERC-6492).
contract AccountFactory {
    function create(address owner, bytes32 salt) external returns (address) {
        return address(new OwnedAccount{salt: salt}(owner));
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(OwnedAccount).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}

/// @notice Code of an upgraded account (EIP-7702): it approves the signature of a device's key.
contract DeviceAccount is OwnedAccount {
    address private immutable device;

    constructor(address device_) OwnedAccount(device_) {
        device = device_;
    }

    receive() external payable {}

    function isValidSignature(bytes32 hash, bytes calldata signature) external view override returns (bytes4) {
        return _recover(hash, signature) == device ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// @notice An account that answers according to `kind`, whatever the signature.
contract OddAccount {
    uint256 private immutable kind;

    constructor(uint256 kind_) {
        kind = kind_;
    }

    fallback() external {
        if (kind == 0) revert("no");
        if (kind == 1) {
            // Burns all gas.
            while (true) {}
        }
        uint256 answer = kind == 2 ? 1 : uint256(bytes32(bytes4(0x1626ba7f)));
        uint256 length = kind == 3 ? 100_000 : 32;
        assembly {
            mstore(0, answer)
            return(0, length)
        }
    }
}

/// @notice Approves like a Safe: signatures of enough owners, for this account and chain (EIP-712), ordered by
/// address. Rejects with a revert.
contract SharedAccount {
    bytes32 private constant DOMAIN = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
    bytes32 private constant MESSAGE = keccak256("SafeMessage(bytes message)");
    uint256 private immutable threshold;
    mapping(address => bool) public isOwner;

    constructor(address[] memory owners, uint256 threshold_) {
        threshold = threshold_;
        for (uint256 i = 0; i < owners.length; i++) isOwner[owners[i]] = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata signatures) external view returns (bytes4) {
        bytes32 domain = keccak256(abi.encode(DOMAIN, block.chainid, address(this)));
        bytes32 message = keccak256(abi.encode(MESSAGE, keccak256(abi.encode(hash))));
        bytes32 signed = keccak256(abi.encodePacked(bytes2(0x1901), domain, message));
        require(signatures.length >= threshold * 65, "signatures are missing");
        address last = address(0);
        for (uint256 i = 0; i < threshold; i++) {
            bytes calldata one = signatures[i * 65:(i + 1) * 65];
            address signer = ecrecover(signed, uint8(one[64]), bytes32(one[:32]), bytes32(one[32:64]));
            require(signer > last && isOwner[signer], "not an owner's signature");
            last = signer;
        }
        return 0x1626ba7e;
    }
}
