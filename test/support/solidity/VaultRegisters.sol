// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice A list of vaults that its owner keeps, and a factory's log of the vaults that anybody made.
contract ListRegister {
    address[] private listed;

    event CreateVaultV2(
        address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2
    );

    mapping(address => bool) public isVaultV2;

    function set(address[] calldata vaults) external {
        listed = vaults;
    }

    uint256 private _claimed;

    /// Answers with a number of addresses instead of its list, or with its list again.
    function claimMany(uint256 number) external {
        _claimed = number;
    }

    function verifiedArray() external view returns (address[] memory) {
        if (_claimed == 0) return listed;
        address[] memory many = new address[](_claimed);
        for (uint256 i = 0; i < many.length; i++) many[i] = address(uint160(i + 1));
        return many;
    }

    /// The register of pools that Gearbox's address provider names, which is this contract itself.
    function getAddressOrRevert(bytes32 key, uint256 version) external view returns (address) {
        bool isKnown = key == "CONTRACTS_REGISTER" || key == "MARKET_CONFIGURATOR_FACTORY";
        require(isKnown && version == 0, "address not found");
        return address(this);
    }

    mapping(address => bool) public isProxy;
    mapping(address => bool) public isVault;
    mapping(address => bool) public isSiloVault;
    address public vault_original;

    event CreateSiloVault(
        address indexed SiloVault,
        address indexed caller,
        address initialOwner,
        uint256 initialTimelock,
        address indexed asset,
        string name,
        string symbol
    );

    function createProxy(address vault) external {
        isProxy[vault] = true;
    }

    function createVault(address vault) external {
        isVault[vault] = true;
    }

    function deploySiloVault(address vault, bool registered) external {
        isSiloVault[vault] = registered;
        emit CreateSiloVault(vault, msg.sender, msg.sender, 0, address(0), "Silo", "S");
    }

    function setOriginal(address original) external {
        vault_original = original;
    }

    function getPools() external view returns (address[] memory) {
        return listed;
    }

    event Created(address indexed instance, uint256 indexed version, address indexed owner, bytes initParams);
    event DeployVault(
        uint64 indexed poolId,
        bytes16 indexed scId,
        address indexed asset,
        uint256 tokenId,
        address factory,
        address vault,
        uint8 kind
    );

    mapping(address => bool) public isEntity;
    mapping(address => bool) public isLinked;

    function deployMellow(address vault, bool registered) external {
        isEntity[vault] = registered;
        emit Created(vault, 1, msg.sender, "");
    }

    function deployCentrifuge(address vault, bool linked) external {
        isLinked[vault] = linked;
        emit DeployVault(7, "sc", address(0), 0, msg.sender, vault, 1);
    }

    function create(address vault) external {
        isVaultV2[vault] = true;
        emit CreateVaultV2(msg.sender, address(0), 0, vault);
    }

    /// Announces a vault that the factory did not make.
    function forge(address vault) external {
        emit CreateVaultV2(msg.sender, address(0), 0, vault);
    }

    /// Curators of Gearbox, which are the listed contracts here.
    address[] private _curators;

    function setCurators(address[] calldata curators) external {
        _curators = curators;
    }

    function getMarketConfigurators() external view returns (address[] memory) {
        return _curators;
    }

    function contractsRegister() external view returns (address) {
        return address(this);
    }

    /// Strategies of Accountable, each with one vault.
    mapping(address => address) public strategyVaults;
    address[] public strategyProxies;

    function createStrategy(address strategy, address vault) external {
        strategyProxies.push(strategy);
        strategyVaults[strategy] = vault;
    }
}
